use serde_json::Value;

use crate::support::{house, ok};

/// `cargo xtask openapi` writes the file again.
#[test]
fn the_committed_description_is_what_the_handlers_say() {
    let committed = include_str!("../../openapi.json");
    let made = bff::openapi::json().expect("plain data");
    assert!(committed == made, "bff/openapi.json is stale: run `cargo xtask openapi`");
}

#[tokio::test]
async fn the_description_is_served_and_can_be_browsed_within_the_policy() {
    let house = house().await;
    let served = ok(house.get("/api/openapi.json")).await;
    assert_eq!(served["openapi"], "3.1.0");
    let committed: Value = serde_json::from_str(include_str!("../../openapi.json")).expect("JSON");
    assert_eq!(served, committed);

    let page = house.get("/api/docs/").send().await.expect("an answer");
    assert_eq!(page.status(), 200);
    let html = page.text().await.expect("a page");
    assert!(html.contains("swagger-ui"));
    // The policy has no `unsafe-inline`: the page must not need it.
    assert!(!html.contains("<style"));
    assert!(html.split("<script").skip(1).all(|script| script.trim_start().starts_with("src=")));
}

#[test]
fn every_operation_has_a_name_of_its_own_and_tells_its_refusals() {
    let doc: Value = serde_json::from_str(&bff::openapi::json().expect("plain data")).expect("JSON");
    let mut names = Vec::new();
    for (path, item) in doc["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            names.push(operation["operationId"].as_str().expect("a name").to_owned());
            let refused = &operation["responses"]["default"]["$ref"];
            assert_eq!(refused, "#/components/responses/Refusal", "{method} {path}");
        }
    }
    let refusal = &doc["components"]["responses"]["Refusal"];
    let body = &refusal["content"]["application/json"]["schema"]["$ref"];
    assert_eq!(body, "#/components/schemas/ErrorBody");
    assert!(refusal["description"].as_str().is_some_and(|said| said.contains("429")), "{refusal}");
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(count >= 37);
}

/// What a friend may know of somebody is no way into their account.
#[test]
fn nobody_is_asked_for_a_hint_or_a_secret_question() {
    let doc: Value = serde_json::from_str(&bff::openapi::json().expect("plain data")).expect("JSON");
    let mut fields = 0;
    for (name, schema) in doc["components"]["schemas"].as_object().expect("schemas") {
        for field in
            schema["properties"].as_object().into_iter().flatten().map(|(field, _)| field.to_lowercase())
        {
            fields += 1;
            for asked in
                ["passwordhint", "question", "securityanswer", "secretanswer", "maidenname", "birthplace"]
            {
                assert!(!field.contains(asked), "{name}.{field}");
            }
        }
    }
    assert!(fields > 200, "{fields} fields");
    let of = |body: &str| -> Vec<String> {
        let fields = doc["components"]["schemas"][body]["properties"].as_object().expect("fields");
        fields.keys().cloned().collect()
    };
    assert_eq!(
        of("EmailBody"),
        ["email"],
        "who forgot a password is asked for an address, and answered by mail"
    );
    assert_eq!(of("ResetBody"), ["password", "token"]);
}
