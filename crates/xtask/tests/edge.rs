//! What the edge says by itself, and to whom: its headers, and its TLS.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;

fn text_of(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Headers of safety that are the same with and without TLS.
const SAFE: [(&str, &str); 4] = [
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("cross-origin-opener-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
];
/// What makes a browser demand TLS: it counts over TLS alone (RFC 6797, 7.2).
const DEMANDS_TLS: &str = "strict-transport-security";

/// The listeners of the edge, and how each takes requests.
fn listeners() -> BTreeMap<String, Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the root");
    let envoy = fs::read_to_string(root.join("deploy/envoy/envoy.yaml")).expect("read");
    let envoy: Value = serde_yaml_ng::from_str(&envoy).expect("YAML");
    let listeners = envoy["static_resources"]["listeners"].as_array().expect("listeners");
    listeners
        .iter()
        .map(|listener| (text_of(&listener["name"]), listener["filter_chains"][0].clone()))
        .collect()
}

/// The headers of a list of Envoy's.
fn headers(list: &Value) -> BTreeMap<String, String> {
    let list = list.as_array().expect("headers");
    list.iter().map(|h| (text_of(&h["header"]["key"]), text_of(&h["header"]["value"]))).collect()
}

#[test]
fn what_the_edge_says_by_itself_carries_the_headers_of_safety() {
    let listeners = listeners();
    let outside: BTreeSet<&str> =
        listeners.keys().map(String::as_str).filter(|name| *name != "operations").collect();
    assert_eq!(outside, ["http", "https", "https-quic"].into(), "every listener is looked at");
    for name in outside {
        let manager = &listeners[name]["filters"][0]["typed_config"];
        let mappers = manager["local_reply_config"]["mappers"].as_array().expect("mappers");
        let lowest = mappers.iter().map(|mapper| {
            let comparison = &mapper["filter"]["status_code_filter"]["comparison"];
            (comparison["op"] == "GE").then(|| comparison["value"]["default_value"].as_u64()).flatten()
        });
        assert_eq!(lowest.flatten().min(), Some(400), "every refusal of {name}");
        let always = headers(&manager["route_config"]["response_headers_to_add"]);
        for told in mappers.iter().map(|mapper| headers(&mapper["headers_to_add"])) {
            for (header, value) in SAFE {
                assert_eq!(told.get(header).map(String::as_str), Some(value), "{header} of {name}");
            }
            assert_eq!(told.contains_key(DEMANDS_TLS), name != "http", "{name}");
        }
        assert_eq!(always.contains_key(DEMANDS_TLS), name != "http", "{name}");
        // Behind the others stands the BFF, which says the rest.
        if name == "http" {
            for (header, value) in SAFE {
                assert_eq!(always.get(header).map(String::as_str), Some(value), "{header} of redirects");
            }
        }
    }
}

/// Suites of TLS 1.2 that keep what was said safe from a key that is lost later, and notice every change (RFC 9325, 4.2).
const SUITES: [&str; 6] = [
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-RSA-CHACHA20-POLY1305",
];

#[test]
fn the_edge_speaks_tls_1_2_and_1_3_with_strong_suites_alone() {
    let listeners = listeners();
    let common = |name: &str| {
        let socket = &listeners[name]["transport_socket"]["typed_config"];
        let context = socket.get("downstream_tls_context").unwrap_or(socket);
        context["common_tls_context"].clone()
    };
    let parameters = &common("https")["tls_params"];
    assert_eq!(parameters["tls_minimum_protocol_version"], "TLSv1_2");
    assert_eq!(parameters["tls_maximum_protocol_version"], "TLSv1_3");
    let lists = parameters["cipher_suites"].as_array().expect("suites");
    let suites: BTreeSet<String> = lists
        .iter()
        .flat_map(|list| {
            text_of(list).trim_matches(['[', ']']).split('|').map(str::to_owned).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(suites, SUITES.map(str::to_owned).into());
    // QUIC begins with TLS 1.3 and has no older one to fall back to; nothing here may say otherwise.
    let quic = common("https-quic");
    assert!(quic.is_object() && quic["tls_params"].is_null(), "{quic}");
    assert!(listeners["http"]["transport_socket"].is_null(), "the one without TLS");
}

#[test]
fn the_edge_asks_for_no_early_data_that_could_be_replayed() {
    let quic = &listeners()["https-quic"]["transport_socket"]["typed_config"];
    assert_eq!(quic["enable_early_data"], false);
}
