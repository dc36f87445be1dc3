//! Card files that are small until they are unpacked: each is refused, and costs little memory.

use std::{
    io::{Cursor, Write as _},
    process::{Command, Stdio},
};

use catalog::card_files::parse;
use flate2::{Compress, Compression, FlushCompress};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::makers::{V3, charx, chunk, itext, text, with_chunks, ztext};

const MIB: usize = 1024 * 1024;
/// What refusing one of them may add to the memory of a process, bytes.
const GROWTH_MAX: usize = 128 * MIB;
/// Set in the process that is measured.
const MEASURED: &str = "BOMBS_MEASURED";

/// A file, made when its turn comes.
type Make = fn() -> Vec<u8>;

const BOMBS: [(&str, Make); 20] = [
    ("png: a card of 1 GiB", || with_chunks(&[ztext("ccv3", &zlib(1_024))])),
    ("png: a card of 1 GiB, in another way", || with_chunks(&[itext("chara", &zlib(1_024))])),
    ("png: three cards of 8 MiB", || with_chunks(&[9, 10, 11].map(|mib| ztext("ccv3", &zlib(mib))))),
    ("png: 600 files of 1 MiB", || {
        let named = |n: usize| ztext(&format!("chara-ext-asset_:{n}"), &zlib(1));
        with_chunks(&(0..600).map(named).collect::<Vec<_>>())
    }),
    ("png: one file of 1 GiB", || with_chunks(&[ztext("chara-ext-asset_:a", &zlib(1_024))])),
    ("png: 24 MiB of a card, not packed", || with_chunks(&[text("ccv3", &vec![b' '; 18 * MIB])])),
    ("png: 60 files and a card", || {
        let mut chunks: Vec<Vec<u8>> =
            (0..60).map(|n| text(&format!("chara-ext-asset_:{n}"), &[7; 300_000])).collect();
        chunks.push(text("ccv3", V3.as_bytes()));
        with_chunks(&chunks)
    }),
    ("png: a length of 4 GiB", || with_chunks(&[chunk(b"zTXt", b"ccv3\0\0x", u32::MAX)])),
    ("charx: a card of 12 MiB", || packed(&[("card.json", 12)])),
    ("charx: a file of 12 MiB", || packed(&[("assets/a", 12), ("card.json", 1)])),
    ("charx: 30 files of 1 MiB", || {
        let names: Vec<String> = (0..30).map(|n| format!("assets/{n}")).collect();
        packed(&names.iter().map(|name| (name.as_str(), 1)).collect::<Vec<_>>())
    }),
    ("charx: 5,000 empty files", || {
        let names: Vec<String> = (0..5_000).map(|n| format!("assets/{n}")).collect();
        charx(&names.iter().map(|name| (name.as_str(), &b""[..])).collect::<Vec<_>>())
    }),
    ("charx: one file behind 300 names", || overlapping(300)),
    ("charx: a zip in a zip in a zip", || {
        let inner = packed(&[("bomb", 3)]);
        charx(&[("a.zip", &charx(&[("b.zip", &inner)]))])
    }),
    ("json: 25 MiB", || [&b"{\"name\":\""[..], &vec![b'x'; 24 * MIB], b"\"}"].concat()),
    ("json: 8 MiB of brackets", || vec![b'{'; 8 * MIB]),
    ("json: 8 MiB deep", || "{\"a\":".repeat(MIB).into_bytes()),
    ("json: 2,000,000 texts", || {
        ["{\"name\":\"x\",\"a\":[\"a\"", &",\"a\"".repeat(2_000_000), "]}"].concat().into_bytes()
    }),
    ("json: 600,000 keys", || {
        let keys: Vec<String> = (0..600_000).map(|n| format!("\"{n:x}\":1")).collect();
        format!("{{\"name\":\"x\",\"a\":{{{}}}}}", keys.join(",")).into_bytes()
    }),
    ("json: 2,600,000 objects", || {
        ["{\"name\":\"x\",\"a\":[{}", &",{}".repeat(2_600_000), ",\"\\ud800\"]}"].concat().into_bytes()
    }),
];

#[test]
fn card_bombs_are_refused_and_cost_at_most_128_mib() {
    if std::env::var_os(MEASURED).is_some() {
        return measured();
    }
    // In a process of its own: what other tests hold is not counted.
    let child = Command::new(std::env::current_exe().expect("this program"))
        .args(["bombs::card_bombs_are_refused_and_cost_at_most_128_mib", "--exact", "--nocapture"])
        .env(MEASURED, "1")
        .stdin(Stdio::null())
        .output()
        .expect("it ran");
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success(), "{said}\n{}", String::from_utf8_lossy(&child.stderr));
    assert!(said.contains("bytes of growth"), "it was not measured: {said}");
}

fn measured() {
    parse::file(V3.as_bytes()).expect("an honest card is taken");
    let mut worst = (0, "");
    for (name, make) in BOMBS {
        let file = make();
        // Sets the high-water mark to what is held now (proc_pid_clear_refs(5)).
        std::fs::write("/proc/self/clear_refs", "5").expect("one's own");
        let held = status("VmRSS");
        let refused = parse::file(&file).err();
        let grown = status("VmHWM").saturating_sub(held);
        println!("{:>4} MiB  {:>9}  {name}: {refused:?}", grown / MIB, file.len());
        assert!(refused.is_some(), "{name} was taken");
        assert!(grown <= GROWTH_MAX, "{name}: {grown} bytes");
        if grown > worst.0 {
            worst = (grown, name);
        }
    }
    println!("at most {} bytes of growth: {}", worst.0, worst.1);
}

/// Bytes, of a line of `/proc/self/status`.
fn status(line: &str) -> usize {
    let all = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let found = all.lines().find_map(|l| l.strip_prefix(line)?.strip_prefix(':')).expect("the line");
    let kib: usize = found.trim().trim_end_matches(" kB").parse().expect("a figure");
    kib * 1024
}

/// A MiB of blanks as deflate packs it, to be repeated: a thousand bytes.
fn block() -> Vec<u8> {
    let blanks = vec![b' '; MIB];
    let mut packer = Compress::new(Compression::best(), false);
    let mut packed = Vec::with_capacity(8 * 1024);
    packer.compress_vec(&blanks, &mut packed, FlushCompress::Full).expect("room");
    assert_eq!(packer.total_in(), MIB as u64, "all of it");
    packed
}

fn zlib(mib: usize) -> Vec<u8> {
    [&[0x78, 0x9c], &*block().repeat(mib), &[3, 0, 0, 0, 0, 0]].concat()
}

/// A zip of files of so many MiB of blanks each.
fn packed(files: &[(&str, usize)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let piece = vec![b' '; MIB];
    for (name, mib) in files {
        zip.start_file(*name, options).expect("in memory");
        for _ in 0..*mib {
            zip.write_all(&piece).expect("in memory");
        }
    }
    zip.finish().expect("in memory").into_inner()
}

/// A zip whose directory leads so many names to the same bytes (Fifield, *A better zip bomb*, 2019).
fn overlapping(names: usize) -> Vec<u8> {
    let one = packed(&[("assets/000", 2)]);
    let at = one.windows(4).position(|w| w == b"PK\x01\x02").expect("a directory");
    let end = one.windows(4).position(|w| w == b"PK\x05\x06").expect("its end");
    let mut file = one[..at].to_vec();
    let start = file.len();
    for n in 0..names {
        let mut entry = one[at..end].to_vec();
        // The name stands behind 46 bytes of the entry.
        entry[46..56].copy_from_slice(format!("assets/{n:03}").as_bytes());
        file.extend_from_slice(&entry);
    }
    let size = u32::try_from(file.len() - start).expect("small");
    let count = u16::try_from(names).expect("few");
    let mut tail = one[end..].to_vec();
    tail[8..10].copy_from_slice(&count.to_le_bytes());
    tail[10..12].copy_from_slice(&count.to_le_bytes());
    tail[12..16].copy_from_slice(&size.to_le_bytes());
    tail[16..20].copy_from_slice(&u32::try_from(start).expect("small").to_le_bytes());
    [file, tail].concat()
}
