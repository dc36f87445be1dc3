//! Files that mean harm: each is refused, and all of them together cost little memory.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use flate2::{Compress, Compression, FlushCompress};
use media::{
    limits,
    pictures::{self, Unfit},
};

const MIB: usize = 1024 * 1024;
/// What refusing all of them may add to the memory of a process, bytes.
const GROWTH_MAX: usize = 128 * MIB;
/// Set in the process that is measured.
const MEASURED: &str = "BOMBS_MEASURED";

/// A file, made when its turn comes.
type Make = fn() -> Vec<u8>;

/// What is more than it looks.
const BOMBS: [(&str, Make); 29] = [
    ("png: 60,000 × 60,000 in the header", || png(60_000, 60_000, RGB, &[], &zeros(1))),
    ("png: 2,147,483,647 × 64", || png(i32::MAX.unsigned_abs(), 64, RGB, &[], &zeros(1))),
    ("png: one line of pixels too many", || png(6_400, 6_251, RGB, &[], &zeros(120))),
    ("png: 40 MP of nothing", || png(6_000, 6_600, RGB, &[], &zeros(114))),
    ("png: 30 MP of nothing, transparent", || png(5_000, 5_900, RGBA, &[], &zeros(113))),
    ("png: 40 MP in 16 bits and transparent", || png(6_000, 6_600, RGBA16, &[], &zeros(303))),
    ("png: 40 MP, cut in its last line", || {
        let mut noisy = png(6_000, 6_600, RGB, &[], &noise_and_zeros(8, 106));
        noisy.truncate(noisy.len() - 2_000);
        noisy
    }),
    ("png: a colour profile of 1 GiB", || png(64, 64, RGB, &[chunk(*b"iCCP", &named(1_024))], &zeros(1))),
    ("png: 40 profiles of 60 MiB", || {
        let profile = chunk(*b"iCCP", &named(60));
        png(64, 64, RGB, &vec![profile; 40], &zeros(1))
    }),
    ("png: a text of 1 GiB", || png(64, 64, RGB, &[chunk(*b"zTXt", &named(1_024))], &zeros(1))),
    ("png: 20 texts of 1 MiB, in another way", || {
        let text = [&b"p\0\x01\0en\0p\0"[..], &zeros(1)].concat();
        png(64, 64, RGB, &vec![chunk(*b"iTXt", &text); 20], &zeros(1))
    }),
    ("png: 9 MiB of Exif and no pixels", || {
        png(64, 64, RGB, &vec![chunk(*b"eXIf", &vec![7; 9 * MIB / 4]); 4], &[])
    }),
    ("png: no pixels at all", || png(512, 512, RGB, &[], &[])),
    ("jpeg: 65,535 × 65,535 in the header", || jpeg(0xc0, 65_535, 65_535, 1)),
    ("jpeg: 40 MP in a kilobyte", || jpeg(0xc0, 6_000, 6_600, 1)),
    ("jpeg: 40 MP in a kilobyte, progressive", || jpeg(0xc2, 6_000, 6_600, 1)),
    ("jpeg: 13 MP of progressive scans", || jpeg(0xc2, 6_000, 3_700, 200)),
    ("gif: 65,535 × 65,535", || gif((65_535, 65_535), (64, 64), 1)),
    ("gif: 40 MP, four bytes each", || gif((6_000, 6_600), (6_000, 6_600), 1)),
    ("gif: a frame of 4,294 MP on a small canvas", || gif((64, 64), (65_535, 65_535), 3 * MIB)),
    ("gif: a frame of 250 MP on a small canvas", || gif((64, 64), (15_800, 15_800), 6 * MIB)),
    ("webp: a canvas of 16,777,216 × 16,777,216", || {
        webp(&[riff(*b"VP8X", &[0x10, 0, 0, 0, 255, 255, 255, 255, 255, 255])])
    }),
    ("webp: 16,383 × 16,383, lossy", || {
        webp(&[riff(*b"VP8 ", &[0x10, 0, 0, 0x9d, 1, 0x2a, 0xff, 0x3f, 0xff, 0x3f, 0, 0, 0, 0])])
    }),
    ("webp: as large as can be, lossless", || {
        webp(&[riff(*b"VP8L", &[0x2f, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0])])
    }),
    ("webp: 30 MP in a few bytes", || webp(&[riff(*b"VP8L", &[0x2f, 0x6f, 0xd7, 0x5b, 0x05, 0, 0, 0])])),
    ("webp: a profile of 4 GiB, as its head says", || {
        let canvas = riff(*b"VP8X", &[0x20, 0, 0, 0, 99, 0, 0, 99, 0, 0]);
        webp(&[canvas, [&b"ICCP\xf0\xff\xff\xff"[..], &[1; 100]].concat()])
    }),
    ("webp: an animation without a frame", || {
        webp(&[riff(*b"VP8X", &[0x02, 0, 0, 0, 99, 0, 0, 99, 0, 0]), riff(*b"ANIM", &[0; 6])])
    }),
    ("more bytes than are taken", || vec![0x89; limits::UPLOAD_BYTES + 1]),
    ("random bytes behind a signature", || [&b"\x89PNG\r\n\x1a\n"[..], &noise(9 * MIB)].concat()),
];

/// What is no picture, or not only one.
const DISGUISES: [(&str, Make); 30] = [
    ("svg", || b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".to_vec()),
    ("svg behind a declaration", || {
        b"\xef\xbb\xbf<?xml version='1.0'?>\n<svg><script>1</script></svg>".to_vec()
    }),
    ("svg, packed", || deflated(b"<svg xmlns='http://www.w3.org/2000/svg'/>")),
    ("svg of a thousand million laughs", || {
        let grow = |n: u8| format!("<!ENTITY l{n} '{}'>", format!("&l{};", n - 1).repeat(10));
        let all: String = (1..10).map(grow).collect();
        format!("<!DOCTYPE svg [<!ENTITY l0 'ha'>{all}]><svg><text>&l9;</text></svg>").into_bytes()
    }),
    ("svg that reads a file", || {
        b"<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><svg><text>&x;</text></svg>".to_vec()
    }),
    ("html", || b"<!DOCTYPE html><script>alert(1)</script>".to_vec()),
    ("javascript", || b"alert(1)//".to_vec()),
    ("pdf", || b"%PDF-1.7\n1 0 obj<</Type/Catalog>>".to_vec()),
    ("zip", || b"PK\x03\x04 and so on".to_vec()),
    ("program", || b"\x7fELF\x02\x01\x01".to_vec()),
    ("film", || b"\0\0\0\x18ftypmp42".to_vec()),
    ("bmp of 4,294 MP", || bmp(65_535, 65_535)),
    ("tiff of 65,535 × 65,535", || b"II*\0\x08\0\0\0\x02\0\0\x01\x03\0\x01\0\0\0\xff\xff\0\0".to_vec()),
    ("ico", || b"\0\0\x01\0\x01\0\0\0\0\0\x01\0\x20\0\xff\xff\xff\x7f\x16\0\0\0".to_vec()),
    ("qoi", || b"qoif\xff\xff\xff\xff\xff\xff\xff\xff\x04\0".to_vec()),
    ("pnm", || b"P6 65535 65535 255\n".to_vec()),
    ("farbfeld", || b"farbfeld\xff\xff\xff\xff\xff\xff\xff\xff".to_vec()),
    ("openexr", || b"\x76\x2f\x31\x01\x02\0\0\0".to_vec()),
    ("radiance", || b"#?RADIANCE\n\n-Y 65535 +X 65535\n".to_vec()),
    ("dds", || b"DDS |\0\0\0".to_vec()),
    ("avif", || b"\0\0\0\x1cftypavif\0\0\0\0mif1".to_vec()),
    ("gif that is a script", || b"GIF89a\x2f\x2a\x40\0\0\0\0*/=1;alert(1)//".to_vec()),
    ("png with a page behind it", || [small(), b"<html><body onload=alert(1)>".to_vec()].concat()),
    ("png with a script in its texts", || {
        png(64, 64, RGB, &[chunk(*b"tEXt", b"Comment\0<sCRIPT>alert(1)</script>")], &zeros(1))
    }),
    ("png with a program of a server in its texts", || {
        png(64, 64, RGB, &[chunk(*b"tEXt", b"Comment\0<?php system($_GET[0]); ?>")], &zeros(1))
    }),
    ("png with a document in its first texts", || {
        png(64, 64, RGB, &[chunk(*b"tEXt", b"Comment\0%PDF-1.7\n1 0 obj")], &zeros(1))
    }),
    ("png with an archive behind it", || [small(), b"PK\x05\x06".to_vec(), vec![0; 18]].concat()),
    ("png with an archive and a long comment behind it", || {
        [small(), b"PK\x05\x06".to_vec(), vec![0; 18], vec![b'x'; 60_000]].concat()
    }),
    ("webp with a document as its profile", || {
        webp(&[riff(*b"VP8X", &[0x20, 0, 0, 0, 99, 0, 0, 99, 0, 0]), riff(*b"ICCP", b"%PDF-1.4\n")])
    }),
    ("nothing", Vec::new),
];

#[test]
fn bombs_polyglots_and_svg_are_refused_and_cost_at_most_128_mib() {
    if std::env::var_os(MEASURED).is_some() {
        return measured();
    }
    // In a process of its own: what other tests hold is not counted.
    let own = std::env::current_exe().expect("this program");
    let test = "bombs::bombs_polyglots_and_svg_are_refused_and_cost_at_most_128_mib";
    let child = Command::new(own)
        .args([test, "--exact", "--nocapture"])
        .env(MEASURED, "1")
        .stdin(Stdio::null())
        .output()
        .expect("it ran");
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{said}\n{}", String::from_utf8_lossy(&child.stderr));
    assert!(said.contains("bytes of growth"), "it was not measured: {said}");
}

fn measured() {
    pictures::decode(&small()).expect("an honest picture is taken");
    let before = status("VmRSS");
    let mut worst = (0, "");
    for (name, make) in BOMBS.iter().chain(&DISGUISES) {
        let file = make();
        let own = file.len();
        // Sets the high-water mark to what is held now (proc_pid_clear_refs(5)).
        std::fs::write("/proc/self/clear_refs", "5").expect("one's own");
        let held = status("VmRSS");
        let refused = pictures::decode(&file).err();
        let grown = status("VmHWM").saturating_sub(held);
        println!("{:>5.1} MiB  {own:>9}  {name}: {refused:?}", grown as f64 / MIB as f64);
        assert!(refused.is_some(), "{name} was taken");
        assert!(grown <= GROWTH_MAX, "{name}: {grown} bytes");
        if grown > worst.0 {
            worst = (grown, name);
        }
    }
    let kept = status("VmRSS").saturating_sub(before);
    assert!(kept <= GROWTH_MAX, "{kept} bytes are not given back");
    println!("at most {} bytes of growth: {}", worst.0, worst.1);
}

#[test]
fn what_is_refused_says_why() {
    let told = |file: Vec<u8>| pictures::decode(&file).expect_err("refused");
    assert_eq!(told(png(6_400, 6_251, RGB, &[], &zeros(120))), Unfit::TooManyPixels, "above 40 MP");
    assert_eq!(told(png(6_000, 6_600, RGB, &[], &zeros(114))), Unfit::TooDense);
    assert_eq!(told(png(6_000, 6_600, RGBA16, &[], &zeros(303))), Unfit::TooManyPixels);
    assert_eq!(told([small(), b"<html>".to_vec()].concat()), Unfit::SeveralKinds);
    assert_eq!(told(b"<svg/>".to_vec()), Unfit::Unreadable);
}

#[test]
fn honest_pictures_of_one_colour_are_taken() {
    let flat = png(4_096, 4_096, RGB, &[], &zeros(49));
    assert!(pictures::decode(&flat).is_ok(), "16 MP of one colour");
}

/// Bytes, of a line of `/proc/self/status`.
fn status(line: &str) -> usize {
    let all = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let found = all.lines().find_map(|l| l.strip_prefix(line)?.strip_prefix(':')).expect("the line");
    let kib: usize = found.trim().trim_end_matches(" kB").parse().expect("a figure");
    kib * 1024
}

/// Bit depth, colour type.
const RGB: [u8; 2] = [8, 2];
const RGBA: [u8; 2] = [8, 6];
const RGBA16: [u8; 2] = [16, 6];

fn png(width: u32, height: u32, kind: [u8; 2], chunks: &[Vec<u8>], pixels: &[u8]) -> Vec<u8> {
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &kind, &[0, 0, 0]].concat();
    let all = [chunk(*b"IHDR", &head), chunks.concat(), chunk(*b"IDAT", pixels), chunk(*b"IEND", &[])];
    [&b"\x89PNG\r\n\x1a\n"[..], &all.concat()].concat()
}

fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&kind);
    sum.update(data);
    let length = u32::try_from(data.len()).expect("short");
    [&length.to_be_bytes()[..], &kind, data, &sum.finalize().to_be_bytes()].concat()
}

/// A picture that is taken.
fn small() -> Vec<u8> {
    png(64, 64, RGB, &[], &deflated(&[0; 64 * (64 * 3 + 1)]))
}

fn deflated(data: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), Compression::best());
    packer.write_all(data).expect("in memory");
    packer.finish().expect("in memory")
}

/// A zlib stream of so many MiB of zeros, and then some of what is no zlib: each MiB is the same thousand bytes.
fn zeros(mib: usize) -> Vec<u8> {
    let block = vec![0; MIB];
    let mut packer = Compress::new(Compression::best(), false);
    let mut packed = Vec::with_capacity(8 * 1024);
    packer.compress_vec(&block, &mut packed, FlushCompress::Full).expect("room");
    assert_eq!(packer.total_in(), MIB as u64, "all of it");
    [&[0x78, 0x9c], &*packed.repeat(mib), &[3, 0, 0, 0, 0, 0]].concat()
}

/// … with noise before them, as it is.
fn noise_and_zeros(noisy: usize, empty: usize) -> Vec<u8> {
    let mut stored = Vec::new();
    for block in noise(noisy * MIB).chunks(65_535) {
        let length = u16::try_from(block.len()).expect("a block");
        stored.push(0);
        stored.extend_from_slice(&length.to_le_bytes());
        stored.extend_from_slice(&(!length).to_le_bytes());
        stored.extend_from_slice(block);
    }
    let zeros = zeros(empty);
    [&zeros[..2], &stored, &zeros[2..]].concat()
}

/// Bytes without a pattern, the same each time; each fifth is 0, as the first of a line of pixels may be.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..length.div_ceil(8)).flat_map(|_| next()).take(length).map(|byte| byte % 5).collect()
}

/// A colour profile, by the name of `p`, of so many MiB.
fn named(mib: usize) -> Vec<u8> {
    [&b"p\0\0"[..], &zeros(mib)].concat()
}

/// `frame`: 0xc0 for baseline, 0xc2 for progressive.
fn jpeg(frame: u8, width: u16, height: u16, scans: usize) -> Vec<u8> {
    let segment = |kind: u8, data: &[u8]| {
        let length = u16::try_from(data.len() + 2).expect("short").to_be_bytes();
        [&[0xff, kind], &length[..], data].concat()
    };
    let size = [&[8][..], &height.to_be_bytes(), &width.to_be_bytes()].concat();
    let colours = [3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0];
    // One code for each table: a difference of nothing.
    let table = |class: u8| segment(0xc4, &[&[class, 1][..], &[0; 15], &[0]].concat());
    let scan = segment(0xda, &[3, 1, 0, 2, 0, 3, 0, 0, if frame == 0xc2 { 0 } else { 63 }, 0]);
    let mut file = [
        &[0xff, 0xd8][..],
        &segment(0xdb, &[&[0][..], &[1; 64]].concat()),
        &segment(frame, &[&size[..], &colours].concat()),
        &table(0x00),
        &table(0x10),
    ]
    .concat();
    for _ in 0..scans {
        file.extend_from_slice(&scan);
        file.extend_from_slice(&[0; 256]);
    }
    file.extend_from_slice(&[0xff, 0xd9]);
    file
}

/// `data`: bytes of a frame's pixels, each worth many.
fn gif(canvas: (u16, u16), frame: (u16, u16), data: usize) -> Vec<u8> {
    let size = |(width, height): (u16, u16)| [width.to_le_bytes(), height.to_le_bytes()].concat();
    let head = [&b"GIF89a"[..], &size(canvas), &[0x80, 0, 0, 0, 0, 0, 255, 255, 255]].concat();
    let mut file = [&head[..], &[0x2c, 0, 0, 0, 0], &size(frame), &[0, 2]].concat();
    // A clear code, then the same pixel again and again, in ever longer words.
    let mut left = data;
    while left > 0 {
        let block = left.min(255);
        file.push(u8::try_from(block).expect("a block"));
        file.extend(std::iter::repeat_n(0x84, block));
        left -= block;
    }
    file.extend_from_slice(&[0, 0x3b]);
    file
}

fn riff(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let length = u32::try_from(data.len()).expect("short").to_le_bytes();
    [&kind[..], &length, data, &[0][..data.len() % 2]].concat()
}

fn webp(chunks: &[Vec<u8>]) -> Vec<u8> {
    let all = [&b"WEBP"[..], &chunks.concat()].concat();
    riff(*b"RIFF", &all)
}

fn bmp(width: u32, height: u32) -> Vec<u8> {
    let head = [&b"BM\xff\xff\xff\x7f\0\0\0\0\x36\0\0\0\x28\0\0\0"[..], &width.to_le_bytes()].concat();
    [&head[..], &height.to_le_bytes(), b"\x01\0\x20\0\0\0\0\0\0\0\0\0"].concat()
}
