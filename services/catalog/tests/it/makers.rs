//! Card files, made as other programs make them: not by our own writers.

use std::io::{Cursor, Write as _};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use flate2::{Compression, write::ZlibEncoder};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// A version 3 card with all that others put into one: odd numbers, unknown keys, repeated spellings.
pub const V3: &str = r#"{"spec":"chara_card_v3","spec_version":"3.0","modified":1e3,"data":{
  "name":"Mirelle \u00e9toile","description":"Keeps a night ferry. \ud83d\ude80","tags":["Fantasy","Slow Burn","female","Sea","ghost","Night","Harbour Town"],
  "creator":"some one","character_version":"1.10","mes_example":"<START>\n{{user}}: hello","extensions":{"depth_prompt":{"depth":4.0,"prompt":"tide"},
  "talkativeness":"0.5","big":123456789012345678901234567890.1000,"deep":{"a":[1.0,1e-7,-0.0,{"b":null}]}},
  "system_prompt":"{{original}} Stay on the ferry.","post_history_instructions":"","first_mes":"*The bell rings.* \"Last crossing.\"",
  "alternate_greetings":["*Fog.* \"Who is there?\"","\"You again.\""],"personality":"Dry, patient.","scenario":"A river at night.",
  "creator_notes":"Best with fog.","group_only_greetings":["\"All aboard.\""],"nickname":"Miri","source":["https://example.com/a"],
  "creation_date":1700000000,"modification_date":1700000001.0,"creator_notes_multilingual":{"fr":"Mieux dans la brume."},
  "assets":[{"type":"icon","uri":"embeded://assets/icon/images/iconx.png","name":"main","ext":"png"},{"type":"x_odd","uri":"ccdefault:","name":"n","ext":"png","rest":1.0}],
  "character_book":{"name":"River","scan_depth":4,"token_budget":512.0,"extensions":{"x":1.50},"entries":[
    {"keys":["ferry"],"content":"The ferry is called Ondine.","extensions":{"k":1e2},"enabled":true,"insertion_order":10.0,"use_regex":false,"constant":null,"odd":[]}]}}}"#;

pub const V1: &str = r#"{"name":"Old Tom","description":"Keeps bees.","personality":"Calm.","scenario":"An orchard.","first_mes":"\"Mind the hives.\"","mes_example":"","char_persona":"kept","n":1.0}"#;

/// A picture of this size.
pub fn picture(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image::RgbImage::from_pixel(width, height, image::Rgb([20, 60, 120]))
        .write_to(&mut bytes, image::ImageFormat::Png)
        .expect("encoded");
    bytes.into_inner()
}

/// A chunk of a PNG; `length` may lie.
pub fn chunk(kind: &[u8; 4], data: &[u8], length: u32) -> Vec<u8> {
    let mut sum = crc32fast::Hasher::new();
    sum.update(kind);
    sum.update(data);
    [&length.to_be_bytes()[..], kind, data, &sum.finalize().to_be_bytes()].concat()
}

/// A picture with chunks behind its head.
pub fn with_chunks(chunks: &[Vec<u8>]) -> Vec<u8> {
    let plain = picture(8, 12);
    [&plain[..33], &chunks.concat(), &plain[33..]].concat()
}

fn sized(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    chunk(kind, data, u32::try_from(data.len()).expect("short"))
}

pub fn text(keyword: &str, value: &[u8]) -> Vec<u8> {
    sized(b"tEXt", &[keyword.as_bytes(), b"\0", BASE64_STANDARD.encode(value).as_bytes()].concat())
}

/// What deflates to this.
pub fn deflated(value: &[u8]) -> Vec<u8> {
    packed_at(value, 9)
}

/// The same at another level, 0 to 9.
pub fn packed_at(value: &[u8], level: u32) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::new(level));
    packer.write_all(value).expect("in memory");
    packer.finish().expect("in memory")
}

pub fn ztext(keyword: &str, packed: &[u8]) -> Vec<u8> {
    sized(b"zTXt", &[keyword.as_bytes(), b"\0\0", packed].concat())
}

pub fn itext(keyword: &str, packed: &[u8]) -> Vec<u8> {
    sized(b"iTXt", &[keyword.as_bytes(), b"\0\x01\0en\0word\0", packed].concat())
}

/// A CHARX of these files.
pub fn charx(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, data) in files {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file(*name, options).expect("in memory");
        zip.write_all(data).expect("in memory");
    }
    zip.finish().expect("in memory").into_inner()
}
