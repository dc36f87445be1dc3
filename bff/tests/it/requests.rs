//! What a request may be, whatever it asks: it ends at one place, takes no more than its route takes, and reading changes
//! nothing.

use std::collections::BTreeSet;

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::support::{House, house};

fn description() -> Value {
    serde_json::from_str(&bff::openapi::json().expect("plain data")).expect("JSON")
}

/// Every operation of the description: method, address with something in each place, and what is said of it.
fn operations(doc: &Value) -> Vec<(Method, String, &Value)> {
    let mut all = Vec::new();
    for (path, item) in doc["paths"].as_object().expect("paths") {
        for (name, operation) in item.as_object().expect("operations") {
            let places = path.split('{').enumerate().map(|(at, part)| match part.split_once('}') {
                Some((_, rest)) if at > 0 => ["1", rest].concat(),
                _ => part.to_owned(),
            });
            let mut address: String = places.collect();
            for (at, parameter) in needed(operation).enumerate() {
                let name = parameter["name"].as_str().expect("a name");
                let value = example(doc, &parameter["schema"], false);
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                address.push_str(&format!("{}{name}={value}", if at == 0 { '?' } else { '&' }));
            }
            all.push((name.to_uppercase().parse().expect("a method"), address, operation));
        }
    }
    all
}

/// What a query has to hold.
fn needed(operation: &Value) -> impl Iterator<Item = &Value> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    parameters.filter(|parameter| parameter["in"] == "query" && parameter["required"] == true)
}

/// What a caller would like to set and nobody's request may: the rest of what is kept about people and things.
fn privileged() -> Value {
    let fields = r#"{
        "role": "admin", "roles": ["admin"], "isAdmin": true, "moderator": true, "verified": true, "emailVerified": true,
        "user": "somebody", "userId": "somebody", "user_id": "somebody", "owner": "somebody", "ownerId": "somebody",
        "creator": "somebody", "creatorId": "somebody", "author": "somebody", "sub": "somebody", "usr": "somebody",
        "coins": 1000000, "balance": 1000000, "amount": 0, "price": 0, "cost": 0, "priority": true, "discount": 100,
        "canCreate": true, "official": true, "sample": true, "featured": true, "approved": true, "held": false,
        "suspended": false, "strikes": 0, "deletedAt": null, "createdAt": "2020-01-01T00:00:00Z", "version": 99,
        "likes": 9999, "followers": 9999, "__proto__": { "role": "admin" }, "constructor": { "role": "admin" }
    }"#;
    serde_json::from_str(fields).expect("JSON")
}

/// Something that fits a schema; with `more`, each object has fields that it does not name.
fn example(doc: &Value, schema: &Value, more: bool) -> Value {
    if let Some(name) = schema["$ref"].as_str() {
        return example(doc, doc.pointer(&name[1..]).expect("described"), more);
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let mut whole = serde_json::Map::new();
        for part in parts.iter().filter_map(|part| example(doc, part, more).as_object().cloned()) {
            whole.extend(part);
        }
        return whole.into();
    }
    if let Some(choices) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let some = choices.iter().find(|choice| choice["type"] != "null");
        return example(doc, some.expect("a choice"), more);
    }
    if let Some(values) = schema["enum"].as_array() {
        return values[0].clone();
    }
    let kinds = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    let kind = kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or_default();
    match kind {
        "object" => {
            let named = schema["properties"].as_object().cloned().unwrap_or_default();
            let mut whole: serde_json::Map<String, Value> =
                named.iter().map(|(name, field)| (name.clone(), example(doc, field, more))).collect();
            // What is a map by its schema takes any name.
            if more && !named.is_empty() && !schema["additionalProperties"].is_object() {
                for (name, value) in privileged().as_object().expect("fields") {
                    if !whole.contains_key(name) {
                        whole.insert(name.clone(), value.clone());
                    }
                }
            }
            whole.into()
        }
        "array" => json!([example(doc, &schema["items"], more)]),
        "boolean" => json!(true),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "string" => match schema["format"].as_str() {
            Some("uuid") => json!("0199c3a0-5b1e-7c44-8d1f-3f6a2b9c7d10"),
            Some("date-time") => json!("2026-01-02T03:04:05Z"),
            Some("email") => json!("ada@example.org"),
            _ => {
                let least = schema["minLength"].as_u64().and_then(|least| usize::try_from(least).ok());
                json!("lamp".repeat(least.unwrap_or(1).div_ceil(4).max(1)))
            }
        },
        _ => Value::Null,
    }
}

/// What the services are asked for by a request, and its status.
async fn asked(house: &House, request: RequestBuilder) -> (u16, Vec<(String, Vec<u8>)>) {
    house.stage.take_calls();
    let status = request.send().await.expect("an answer").status().as_u16();
    let calls = house.stage.take_calls().into_iter();
    (status, calls.map(|(method, body)| (method, body.to_vec())).collect())
}

/// The services are asked for the same with and without what the caller added, or for nothing where it is refused.
async fn takes_no_more(house: &House, what: &str, plain: RequestBuilder, more: RequestBuilder) -> bool {
    let (status, calls) = asked(house, plain).await;
    let (refused, with_more) = asked(house, more).await;
    if refused == 400 && status != 400 {
        assert!(with_more.is_empty(), "{what} is refused, and done");
    } else {
        assert_eq!(with_more, calls, "{what} takes what it does not name");
    }
    !calls.is_empty()
}

#[tokio::test]
async fn a_request_sets_nothing_that_its_route_does_not_name() {
    let house = house().await;
    house.stage.answers_everything();
    let ada = house.sign_in("ada");
    let doc = description();
    let mut reached = BTreeSet::new();
    for (method, path, operation) in operations(&doc) {
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        if schema.is_null() {
            continue;
        }
        let send = |more: bool| {
            let body = example(&doc, schema, more);
            house.request(method.clone(), &path).bearer_auth(&ada.token).json(&body)
        };
        let what = format!("{method} {path}");
        if takes_no_more(&house, &what, send(false), send(true)).await {
            reached.insert(what);
        }
    }
    for (method, path, texts) in [
        (Method::POST, "/api/user/update", vec![("bio", "Keeps the keys.")]),
        (
            Method::POST,
            "/api/create",
            vec![("name", "Isolde"), ("age", "34"), ("description", "Keeps the keys."), ("public", "true")],
        ),
        (Method::PUT, "/api/characters/1", vec![("name", "Isolde"), ("age", "34")]),
    ] {
        let privileged = privileged();
        let fields = privileged.as_object().expect("fields").iter();
        let added: Vec<(String, String)> = fields
            .map(|(name, value)| {
                (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            })
            .collect();
        let mut more = texts.clone();
        more.extend(added.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let files: &[_] = &[("image", "a.png", "image/png", b"\x89PNG\r\n\x1a\n".as_slice())];
        let files = if path == "/api/create" { files } else { &[] };
        let send =
            |texts: &[(&str, &str)]| house.form(method.clone(), path, texts, files).bearer_auth(&ada.token);
        let what = format!("{method} {path}");
        assert!(takes_no_more(&house, &what, send(&texts), send(&more)).await, "{what} asks nobody");
        reached.insert(what);
    }
    assert!(reached.len() >= 25, "{} routes reach a service: {reached:#?}", reached.len());
}

/// Methods that a GET may call although they change something.
const OPENS: [&str; 1] = ["/troupe.chat.v1.Chats/OpenChat"];

/// The contracts say of each method whether it changes anything (`NO_SIDE_EFFECTS`).
#[tokio::test]
async fn reading_asks_for_nothing_that_changes_anything() {
    let house = house().await;
    house.stage.answers_everything();
    let ada = house.sign_in("ada");
    let doc = description();
    let mut paths: Vec<String> = operations(&doc)
        .into_iter()
        .filter(|(method, ..)| *method == Method::GET)
        .map(|(_, path, _)| path)
        .collect();
    assert!(paths.len() >= 40, "{paths:?}");
    let pages =
        ["/", "/search", "/character/1", "/creator/ada", "/tag/elf", "/sitemap.xml", "/media/a/card.webp"];
    paths.extend(pages.map(str::to_owned));
    let mut called = BTreeSet::new();
    for path in paths {
        for request in [house.get(&path), house.get(&path).bearer_auth(&ada.token)] {
            for (method, _) in asked(&house, request).await.1 {
                let reads = proto::READ_ONLY.binary_search(&method.as_str()).is_ok();
                assert!(reads || OPENS.contains(&method.as_str()), "GET {path} calls {method}");
                called.insert(method);
            }
        }
    }
    assert!(called.len() >= 30, "{} methods are called: {called:#?}", called.len());
}

/// Writes bytes as they are, and reads until the other side hangs up.
async fn written(house: &House, bytes: &str) -> String {
    let mut line = TcpStream::connect(house.server.addr).await.expect("connected");
    line.write_all(bytes.as_bytes()).await.expect("written");
    let mut answer = Vec::new();
    line.read_to_end(&mut answer).await.expect("read to its end");
    String::from_utf8_lossy(&answer).into_owned()
}

fn answers(text: &str) -> Vec<&str> {
    text.split("HTTP/1.1 ").skip(1).map(|answer| &answer[..3]).collect()
}

/// What is read as one request by one and as two by another lets somebody speak in another's name (request smuggling).
#[tokio::test]
async fn a_request_ends_at_one_place_alone() {
    let house = house().await;
    house.stage.says("auth.v1.Accounts/ForgotPassword", proto::auth::v1::ForgotPasswordResponse {});
    let body = json!({ "email": "a@b.cd" }).to_string();
    let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let second = "GET /robots.txt HTTP/1.1\r\nhost: house\r\nconnection: close\r\n\r\n";
    let request = |lengths: &str, rest: &str| {
        let head = "POST /api/forgot-password HTTP/1.1\r\nhost: house\r\ncontent-type: application/json\r\n";
        format!("{head}{lengths}\r\n\r\n{rest}{second}")
    };
    let length = body.len();
    for (lengths, rest) in
        [(format!("content-length: {length}"), &body), ("transfer-encoding: chunked".to_owned(), &chunked)]
    {
        let said = written(&house, &request(&lengths, rest)).await;
        assert_eq!(answers(&said), ["200", "200"], "{lengths}: {said}");
    }
    // Where both are told the chunks count, and whatever comes behind them is read by nobody (RFC 9112, 6.1 and 6.3).
    for lengths in [
        "content-length: 4\r\ntransfer-encoding: chunked".to_owned(),
        format!("transfer-encoding: chunked\r\ncontent-length: {}", chunked.len() + second.len()),
    ] {
        let said = written(&house, &request(&lengths, &chunked)).await;
        assert_eq!(answers(&said), ["200"], "{lengths}: {said}");
    }
    let heard = house.stage.calls("auth.v1.Accounts/ForgotPassword");
    assert_eq!(heard.len(), 4);
    for call in heard {
        assert_eq!(call.read::<proto::auth::v1::ForgotPasswordRequest>().email, "a@b.cd");
    }
    // What cannot be read in one way is not read, and nothing after it.
    for lengths in [
        format!("content-length: {length}\r\ncontent-length: {}", length + 1),
        format!("content-length: {length}, {}", length + 1),
        format!("content-length: +{length}"),
        "content-length: -1".to_owned(),
        format!("content-length: 0x{length:x}"),
        format!("content-length : {length}"),
        "transfer-encoding: chunked, identity".to_owned(),
        "transfer-encoding: xchunked".to_owned(),
        "transfer-encoding : chunked".to_owned(),
    ] {
        let said = written(&house, &request(&lengths, &body)).await;
        assert_eq!(answers(&said), ["400"], "{lengths}: {said}");
    }
    assert_eq!(house.stage.calls("auth.v1.Accounts/ForgotPassword").len(), 4, "none of these was heard");
}

/// An event is a small write, and the next one must not wait until it is acknowledged.
#[tokio::test]
async fn no_answer_waits_for_an_acknowledgement() {
    let house = house().await;
    assert!(house.get("/robots.txt").send().await.expect("an answer").status().is_success());
    kit::testing::assert_nodelay(house.server.addr).await;
}
