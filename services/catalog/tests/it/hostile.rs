//! Files that mean harm are refused, each with a reason, and cost little.

use std::time::{Duration, Instant};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use catalog::{card_files::parse, limits};
use kit::error::Failure;
use proptest::prelude::*;

use crate::{
    makers::{V1, V3, charx, chunk, deflated, itext, packed_at, picture, text, with_chunks, ztext},
    support::{house, reason},
};

const MIB: usize = 1024 * 1024;

fn refused(file: &[u8]) -> parse::Flaw {
    parse::file(file).expect_err("hostile")
}

fn told(file: &[u8]) -> String {
    refused(file).to_string()
}

#[test]
fn bombs_do_not_go_off() {
    let packed = deflated(&vec![b' '; 64 * MIB]);
    assert!(packed.len() < MIB, "a small file");
    for png in [with_chunks(&[ztext("ccv3", &packed)]), with_chunks(&[itext("chara", &packed)])] {
        assert!(matches!(refused(&png), parse::Flaw::TooLarge(_)));
    }
    // Many small ones are no cheaper than a large one: none is inflated twice, and all of them share one budget.
    let packed = deflated(&vec![b' '; MIB]);
    let same = with_chunks(&vec![ztext("ccv3", &packed); 600]);
    let named = |n: usize| ztext(&["chara-ext-asset_:", &n.to_string()].concat(), &packed);
    let files = with_chunks(&(0..600).map(named).collect::<Vec<_>>());
    let time = |file: &[u8]| {
        let begin = Instant::now();
        assert!(told(file).contains("not a character card"));
        begin.elapsed()
    };
    let (one, all) = (time(&with_chunks(&[ztext("ccv3", &packed)])), time(&same));
    assert!(all < one * 100 + Duration::from_secs(3), "{one:?} for one, {all:?} for 600");
    assert!(matches!(refused(&files), parse::Flaw::TooLarge(_)));
    // The same card, packed in three ways.
    let card = BASE64_STANDARD.encode(V1);
    let ways: Vec<Vec<u8>> = [1, 6, 0].map(|level| ztext("chara", &packed_at(card.as_bytes(), level))).into();
    parse::file(&with_chunks(&ways[..2])).expect("twice is borne");
    assert!(told(&with_chunks(&ways)).contains("too many cards"));
    let zeros = vec![0; 32 * MIB];
    assert!(matches!(refused(&charx(&[("card.json", &zeros)])), parse::Flaw::TooLarge(_)));
    let bomb = charx(&[("card.json", V3.as_bytes()), ("assets/other/a", &zeros)]);
    assert!(matches!(refused(&bomb), parse::Flaw::TooLarge(_)), "the ratio tells");
    let many: Vec<(String, Vec<u8>)> =
        (0..60).map(|n| (["assets/", &n.to_string()].concat(), vec![1])).collect();
    let mut files: Vec<(&str, &[u8])> = many.iter().map(|(n, d)| (n.as_str(), d.as_slice())).collect();
    files.push(("card.json", V3.as_bytes()));
    assert!(matches!(refused(&charx(&files)), parse::Flaw::TooLarge(_)), "60 files");
}

#[test]
fn no_more_is_inflated_than_is_taken() {
    let honest = vec![b'x'; limits::CARD_FILES_BYTES / 4];
    let files: Vec<(&str, &[u8])> =
        ["assets/a", "assets/b", "assets/c", "assets/d", "assets/e"].map(|n| (n, honest.as_slice())).into();
    let mut whole = files.clone();
    whole.push(("card.json", V3.as_bytes()));
    assert!(matches!(refused(&charx(&whole)), parse::Flaw::TooLarge(_)), "25 MiB in all");
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for name in
        ["../evil", "assets/../../evil", "/etc/passwd", "C:\\evil", "a\\..\\b", "assets/./x", "a\u{7}b"]
    {
        let file = charx(&[("card.json", V3.as_bytes()), (name, b"x")]);
        assert!(told(&file).contains("leads elsewhere"), "{name}");
    }
    let png = with_chunks(&[text("ccv3", V3.as_bytes()), text("chara-ext-asset_:../../evil", b"x")]);
    assert!(told(&png).contains("leads elsewhere"));
}

#[test]
fn lengths_that_lie_and_files_that_end_early_are_found() {
    let lie = with_chunks(&[chunk(b"tEXt", b"chara\0AAAA", 100 * 1024 * 1024)]);
    assert!(told(&lie).contains("ends in the middle"));
    let most = with_chunks(&[chunk(b"tEXt", b"chara\0AAAA", u32::MAX)]);
    assert!(told(&most).contains("ends in the middle"));
    let whole = with_chunks(&[text("chara", V1.as_bytes())]);
    assert!(told(&whole[..whole.len() - 20]).contains("ends in the middle"));
    let zip = charx(&[("card.json", V3.as_bytes())]);
    assert!(told(&zip[..zip.len() / 2]).contains("damaged"));
}

#[test]
fn what_is_no_card_says_so() {
    assert!(told(&picture(4, 4)).contains("no card in it"));
    assert!(told(b"\xFF\xD8\xFF\xE0 just a picture").contains("picture without a card"));
    assert!(told(b"").contains("not a character card"));
    assert!(told(b"\xFF\xFE{\0}\0").contains("UTF-8"));
    assert!(told(br#"{"name":NaN}"#).contains("not JSON"));
    assert!(told(br#"{"name":"a""#).contains("not JSON"));
    assert!(told(&charx(&[("other.json", b"{}")])).contains("no card.json"));
    let deep = ["{\"name\":", &"[".repeat(100_000), &"]".repeat(100_000), "}"].concat();
    assert!(told(deep.as_bytes()).contains("too deeply"));
    let other = V1.replace("Tom", "Tim");
    let two = with_chunks(&[text("chara", V1.as_bytes()), text("chara", other.as_bytes())]);
    assert!(told(&two).contains("two different cards"));
    let garbage = with_chunks(&[text("parameters", b"x"), chunk(b"tEXt", b"chara\0!!!!", 10)]);
    assert!(told(&garbage).contains("base64"));
}

#[test]
fn harmless_oddities_are_borne() {
    let twice = with_chunks(&[text("chara", V1.as_bytes()), text("CHARA", V1.as_bytes())]);
    parse::file(&twice).expect("the same twice");
    let mut broken = text("chara", V1.as_bytes());
    *broken.last_mut().expect("a checksum") ^= 1;
    parse::file(&with_chunks(&[broken])).expect("a wrong checksum");
    parse::file(&[b"\xEF\xBB\xBF", V1.as_bytes()].concat()).expect("a byte order mark");
}

#[tokio::test]
async fn files_that_are_elsewhere_are_refused() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    for uri in [
        "https://example.com/x.png",
        "HTTP://example.com/x",
        "//example.com/x",
        " ipfs://x",
        "file:///etc/passwd",
    ] {
        let card = V3.replace("ccdefault:", uri);
        let refused = house.read(&ada, card.clone().into()).await.expect_err(uri);
        assert_eq!(reason(&refused), "card_invalid");
        let told = &Failure::from_status(&refused).fields[0].1;
        assert!(told.contains("elsewhere") && told.contains(uri), "{told}");
        house.import(&ada, card.into(), Some(picture(8, 12))).await.expect_err(uri);
    }
    for uri in ["embedded://assets/x.png", "__asset:0", "data:image/png;base64,AAAA", "main.png"] {
        house.read(&ada, V3.replace("ccdefault:", uri).into()).await.expect(uri);
    }
    let odd = V3.replace("\"assets\":[", "\"assets\":[5,");
    assert_eq!(reason(&house.read(&ada, odd.into()).await.expect_err("no file")), "card_invalid");
}

/// Of the labelled phrases: refused wherever others may read it.
const HATE: &str = "We must exterminate the immigrants.";

#[tokio::test]
async fn what_no_field_shows_is_read_however_it_is_written() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let greeting = |json: &str| V3.replace(r#"["\"All aboard.\""]"#, json);
    let said = format!("[\"{HATE}\"]");
    let shown = format!("data:image/png;base64,{}", BASE64_STANDARD.encode(picture(4, 4)));
    let with = |key: &str| V3.replace("\"modified\":1e3", &["\"modified\":1e3,", key].concat());
    let cases = [
        (greeting(&said), "moderated"),
        (greeting(&said).replace("1e3", "1e999"), "card_invalid"),
        (greeting(&said).replace("1e3", r#""\ud800""#), "card_invalid"),
        (greeting(&format!("[\"data:{HATE}\"]")), "moderated"),
        (greeting(&format!("[\"data:image/png;base64,{HATE}\"]")), "moderated"),
        (greeting(&said.replace(' ', "_")), "moderated"),
        (greeting(&said.replace(' ', "-")), "moderated"),
        (with(&format!("\"{HATE}\":1")), "moderated"),
        (with(&format!("\"x\":\"{HATE}\",\"x\":\"\"")), "card_invalid"),
        (with(r#""x":{"a":1,"\u0061":2}"#), "card_invalid"),
        (with(r#""id":"0192f4a1-0123-7456-8901-234567890123","page":"https://example.com/a/b""#), "none"),
        (with(&format!("\"x\":\"{shown}\"")), "none"),
    ];
    for (at, (card, expected)) in cases.into_iter().enumerate() {
        let answer = house.import(&ada, card.into(), Some(picture(8, 12))).await;
        let found = answer.map_or_else(|status| reason(&status), |_| "none".into());
        assert_eq!(found, expected, "case {at}");
    }
}

#[tokio::test]
async fn reasons_reach_people() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let cases: [(Vec<u8>, &str); 8] = [
        (picture(4, 4), "card_invalid"),
        (charx(&[("card.json", &vec![0; 20 * MIB])]), "too_large"),
        (br#"{"spec":"lorebook_v3","data":{"entries":[]}}"#.to_vec(), "card_invalid"),
        (br#"{"name":5}"#.to_vec(), "card_invalid"),
        (V3.replace("\"Fantasy\"", "5").replace("chara_card_v3", "chara_card_v2").into(), "none"),
        (V3.replace("\"constant\":null", "\"priority\":1e999").into(), "card_invalid"),
        (V3.replace("Keeps a night ferry.", "She is 16 years old.").into(), "moderated"),
        (V3.replace("All aboard.", "She is a 15 year old girl, and they have sex.").into(), "moderated"),
    ];
    for (at, (file, expected)) in cases.into_iter().enumerate() {
        let answer = house.import(&ada, file, Some(picture(8, 12))).await;
        let found = answer.map_or_else(|status| reason(&status), |_| "none".into());
        assert_eq!(found, expected, "case {at}");
    }
    let refused = house.read(&ada, picture(4, 4)).await.expect_err("no card");
    let fields = Failure::from_status(&refused).fields;
    assert!(fields[0].1.contains("no card in it"), "{fields:?}");
    // Chub writes null where there is no lorebook.
    let null = V1.replace("\"n\":1.0", "\"character_book\":null,\"alternate_greetings\":null,\"tags\":null");
    house.import(&ada, null.into(), Some(picture(8, 12))).await.expect("borne");
    // Text beyond the limits is refused with its field, never cut.
    let long = V3.replace("A river at night.", &"x".repeat(limits::SCENARIO_MAX + 1));
    let read = house.read(&ada, long.clone().into()).await.expect("read all the same");
    assert!(read.problems.contains_key("scenario"), "{:?}", read.problems);
    let refused = house.import(&ada, long.into(), Some(picture(8, 12))).await.expect_err("too long");
    assert_eq!(Failure::from_status(&refused).fields[0].0, "scenario");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_that_is_damaged_breaks_the_reader(at in 0_usize..4000, byte: u8, cut in 0_usize..4000) {
        for whole in [
            with_chunks(&[text("ccv3", V3.as_bytes()), text("chara-ext-asset_:0", b"x")]),
            charx(&[("card.json", V3.as_bytes()), ("assets/x", b"y")]),
            V3.as_bytes().to_vec(),
        ] {
            let mut damaged = whole.clone();
            let (at, end) = (at % whole.len(), cut % whole.len());
            damaged[at] ^= byte;
            let _ = parse::file(&damaged);
            let _ = parse::file(&damaged[..end]);
        }
    }
}
