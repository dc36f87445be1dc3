//! The list of who gets what is complete, and says what the routes say.

use std::collections::BTreeSet;

use axum::http::Method;
use bff::{
    openapi,
    routes::{Access, access},
};
use serde_json::Value;

const LIST: &str = include_str!("../../authorization.txt");

/// Method, path and the statuses by column.
fn rows() -> Vec<(Method, String, Vec<u16>)> {
    let lines = LIST.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .skip(1)
        .map(|line| {
            let mut words = line.split_whitespace();
            let method = words.next().and_then(|m| m.parse().ok()).expect("a method");
            let path = words.next().expect("a path").to_owned();
            let statuses: Vec<u16> =
                words.filter(|w| !w.starts_with('#')).map(|w| w.parse().expect(line)).collect();
            assert_eq!(statuses.len(), 9, "{line}");
            (method, path, statuses)
        })
        .collect()
}

#[test]
fn every_route_of_the_description_is_in_the_list_and_no_other() {
    let doc: Value = serde_json::from_str(&openapi::json().expect("plain data")).expect("JSON");
    let described: BTreeSet<(String, String)> = doc["paths"]
        .as_object()
        .expect("paths")
        .iter()
        .flat_map(|(path, item)| {
            item.as_object().expect("operations").keys().map(move |m| (m.to_uppercase(), path.clone()))
        })
        .collect();
    let listed: BTreeSet<(String, String)> =
        rows().into_iter().map(|(method, path, _)| (method.to_string(), path)).collect();
    let missing: Vec<_> = described.difference(&listed).collect();
    let unknown: Vec<_> = listed.difference(&described).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
}

#[test]
fn the_list_says_what_the_gate_does_with_visitors_and_tokens_that_do_not_hold() {
    for (method, path, statuses) in rows() {
        let (visitor, unverified, suspended) = (statuses[0], statuses[1], statuses[7]);
        match access(&method, &path) {
            Access::Users => {
                assert_eq!((visitor, unverified, suspended), (401, 401, 401), "{method} {path}");
            }
            Access::Visitors => assert_eq!(suspended, 401, "{method} {path}"),
            // A login is judged by what was typed, not by who is signed in.
            Access::Anyone => assert!(path == "/api/login" || visitor != 401, "{method} {path}"),
        }
        if path != "/api/login" {
            assert_eq!(visitor, unverified, "{method} {path}: without a token there is no difference");
        }
    }
}
