use proptest::prelude::*;
use time::macros::datetime;

use super::{Spoken, Wrong, read, write};

const FILE: &str = r#"{"user_name":"Robin","character_name":"Maren","create_date":"2024-1-5 @13h 30m 5s 123ms","chat_metadata":{"note_prompt":""}}
{"name":"Maren","is_user":false,"send_date":"January 5, 2024 1:30pm","mes":"You came.","extra":{}}
{"name":"Robin","is_user":true,"is_system":false,"send_date":"2024-01-05T13:31:00Z","mes":"I did.\r\nIt was far."}

{"name":"SillyTavern System","is_user":false,"is_system":true,"mes":"Chat renamed."}
{"name":"Maren","is_user":false,"mes":"Sit (edited).","swipes":["Stand.","Sit.","Stand."],"swipe_id":1,"swipe_info":[{}]}
"#;

fn spoken(line: usize, by_user: bool, versions: &[&str], chosen: usize) -> Spoken {
    let versions = versions.iter().map(|v| (*v).to_owned()).collect();
    Spoken { line, by_user, versions, chosen, at: None }
}

fn with(line: &str) -> String {
    format!("{{\"user_name\":\"R\",\"character_name\":\"M\"}}\n{line}\n")
}

#[test]
fn a_file_of_sillytavern_is_read_with_its_swipes() {
    let transcript = read(FILE.as_bytes()).expect("whole");
    assert_eq!(transcript.left_out, 1, "a note of the program");
    let at = |spoken: Spoken, at| Spoken { at: Some(at), ..spoken };
    assert_eq!(
        transcript.messages,
        [
            at(spoken(2, false, &["You came."], 0), datetime!(2024-01-05 13:30 UTC)),
            at(spoken(3, true, &["I did.\nIt was far."], 0), datetime!(2024-01-05 13:31 UTC)),
            spoken(6, false, &["Stand.", "Sit (edited)."], 1),
        ]
    );
}

#[test]
fn lines_that_are_wrong_are_named() {
    let file =
        "\u{feff}{\"user_name\":\"R\"}\n{\"mes\":\"One.\"}\nnot json\n{\"name\":\"x\"}\n[1]\n{\"mes\":7}\n";
    let wrong: Vec<usize> = read(file.as_bytes()).expect_err("wrong").iter().map(|w| w.line).collect();
    assert_eq!(wrong, [3, 4, 5, 6]);
    let first = |file: &[u8]| read(file).expect_err("wrong")[0].clone();
    assert_eq!(first(b"").line, 0);
    assert_eq!(first(b"{\"mes\":\"a message, no header\"}\n").line, 1);
    assert_eq!(first(with("{\"mes\":\"  \"}").as_bytes()), Wrong { line: 0, why: "holds no messages." });
    assert_eq!(first(&[with("").as_bytes(), b"\xff\xfe"].concat()).line, 3);
    let long = format!("{{\"mes\":\"{}\"}}", "x".repeat(70_000));
    assert_eq!(first(with(&long).as_bytes()), Wrong { line: 2, why: "is too long." });
    assert_eq!(
        first(with(&"{\"mes\":\"x\"}\n".repeat(5_001)).as_bytes()).why,
        "holds more than 5,000 messages."
    );
    let deep = format!("{{\"mes\":\"x\",\"extra\":{}", "[".repeat(100_000));
    assert_eq!(first(with(&deep).as_bytes()).line, 2, "depth is refused, not followed");
}

#[test]
fn of_many_swipes_those_nearest_to_the_chosen_one_stay() {
    let swipes: Vec<String> = (0..30).map(|n| format!("Version {n}.")).collect();
    let line = serde_json::json!({ "mes": "Version 25.", "swipes": swipes, "swipe_id": 25 });
    let transcript = read(with(&line.to_string()).as_bytes()).expect("whole");
    let message = &transcript.messages[0];
    assert_eq!((message.versions.len(), transcript.left_out), (20, 10));
    assert_eq!(message.versions[message.chosen], "Version 25.");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn whatever_is_thrown_at_it_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let _ = read(&bytes);
    }

    #[test]
    fn a_file_with_one_piece_broken_is_read_or_refused(at in 0..FILE.len(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = FILE.as_bytes().to_vec();
        bytes[at] = byte;
        if cut {
            bytes.truncate(at);
        }
        if let Ok(transcript) = read(&bytes) {
            for message in &transcript.messages {
                prop_assert!(message.chosen < message.versions.len());
                prop_assert!(message.versions.iter().all(|version| !version.contains('\0')));
            }
        }
    }

    #[test]
    fn what_is_written_is_read_again(
        texts in proptest::collection::vec(
            (any::<bool>(), proptest::collection::hash_set("[a-zäß🕯️\"\\\\{}]{1,12}", 1..6), any::<prop::sample::Index>()),
            1..20,
        ),
    ) {
        let messages: Vec<Spoken> = (2..)
            .zip(texts)
            .map(|(line, (by_user, versions, chosen))| {
                let versions: Vec<String> = versions.into_iter().collect();
                let chosen = chosen.index(versions.len());
                Spoken { line, by_user, versions, chosen, at: Some(datetime!(2026-11-21 13:00 UTC)) }
            })
            .collect();
        let file = write("Robin \"R\"", "Maren", datetime!(2026-11-21 12:00 UTC), &messages);
        prop_assert_eq!(read(file.as_bytes()).expect("whole").messages, messages);
    }
}
