use reqwest::Method;

use crate::support::{header, house, house_with, json};

#[tokio::test]
async fn routes_of_the_app_get_its_page_and_unknown_ones_get_it_with_404() {
    let house = house().await;
    for path in [
        "/",
        "/home",
        "/search?tags=elf",
        "/character/0192/chat",
        "/search/",
        "/legal/2257",
        "/creator/a.b",
        "/membership?code=1",
    ] {
        let page = house.get(path).send().await.expect("an answer");
        assert_eq!(page.status(), 200, "{path}");
        assert_eq!(header(&page, "cache-control"), "no-cache", "{path}");
        assert!(header(&page, "content-type").starts_with("text/html"));
        assert!(page.text().await.expect("a page").contains("root"));
    }
    let page = house.get("/no-such-page").send().await.expect("an answer");
    assert_eq!(page.status(), 404);
    assert!(page.text().await.expect("a page").contains("root"));
}

#[tokio::test]
async fn hashed_files_are_kept_and_the_rest_is_asked_for_again() {
    let house = house().await;
    let script = house.get("/assets/main-4f3a2b1c.js").send().await.expect("an answer");
    assert_eq!(script.status(), 200);
    assert_eq!(header(&script, "cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(header(&script, "content-type"), "text/javascript; charset=utf-8");

    let robots = house.get("/robots.txt").send().await.expect("an answer");
    assert_eq!(header(&robots, "cache-control"), "no-cache");
    let tag = header(&robots, "etag").to_owned();
    let again = house.get("/robots.txt").header("if-none-match", &tag).send().await.expect("an answer");
    assert_eq!(again.status(), 304);

    let page = house.get("/").send().await.expect("an answer");
    let tag = header(&page, "etag").to_owned();
    assert_eq!(house.get("/").header("if-none-match", &tag).send().await.expect("an answer").status(), 304);
    assert_eq!(
        house.get("/login").header("if-none-match", &tag).send().await.expect("an answer").status(),
        200,
        "another page has another head"
    );

    for (path, kind) in
        [("/sw.js", "text/javascript"), ("/manifest.webmanifest", "application/manifest+json")]
    {
        let answer = house.get(path).send().await.expect("an answer");
        assert_eq!((answer.status().as_u16(), header(&answer, "cache-control")), (200, "no-cache"), "{path}");
        assert!(header(&answer, "content-type").starts_with(kind), "{path}");
    }
}

#[tokio::test]
async fn a_file_that_is_not_there_is_no_page_and_is_not_kept() {
    let house = house().await;
    for path in [
        "/assets/main-old.js",
        "/icon.png",
        "/assets/../../Cargo.toml",
        "/assets/%2e%2e/%2e%2e/Cargo.toml",
        "/.env",
    ] {
        let answer = house.get(path).send().await.expect("an answer");
        assert_eq!(answer.status(), 404, "{path}");
        assert_eq!(header(&answer, "cache-control"), "no-store", "{path}");
    }
    assert_eq!(house.request(Method::POST, "/search").send().await.expect("an answer").status(), 405);
}

#[tokio::test]
async fn text_is_compressed_for_those_who_can_read_it() {
    let house = house().await;
    for coding in ["br", "gzip"] {
        let answer = house
            .get("/assets/main-4f3a2b1c.js")
            .header("accept-encoding", coding)
            .send()
            .await
            .expect("an answer");
        assert_eq!(header(&answer, "content-encoding"), coding);
        assert!(header(&answer, "vary").contains("accept-encoding"));
        assert!(answer.bytes().await.expect("bytes").len() < 400);
    }
    let plain = house.get("/assets/main-4f3a2b1c.js").send().await.expect("an answer");
    assert_eq!(header(&plain, "content-encoding"), "");
}

/// A text whose letters a browser has to guess can be guessed to be a script.
#[tokio::test]
async fn every_text_says_what_its_letters_are() {
    let house = house().await;
    let mut kinds = std::collections::BTreeSet::new();
    for path in [
        "/",
        "/search",
        "/no-such-page",
        "/assets/main-4f3a2b1c.js",
        "/assets/gone.js",
        "/assets/gone.css",
        "/robots.txt",
        "/sw.js",
        "/manifest.webmanifest",
        "/sandbox.css",
        "/sandbox/checkout/1",
        "/dev/mailbox",
        "/dev/mailbox.json",
        "/api/openapi.json",
        "/api/docs/",
        "/api/docs/index.css",
        "/api/docs/swagger-ui.css",
        "/api/docs/swagger-ui-bundle.js",
        "/icon.svg",
        "/api/meta",
        "/api/chats",
        "/api/nothing",
        "/media/x",
    ] {
        let answer = house.get(path).send().await.expect("an answer");
        let kind = header(&answer, "content-type").to_owned();
        assert!(!answer.text().await.expect("a body").is_empty(), "{path} is an answer with a body");
        let (media, charset) = kind.split_once(';').unwrap_or((&kind, ""));
        assert!(media.contains('/'), "{path}: {kind:?}");
        if media.starts_with("text/") || media.ends_with("xml") {
            assert_eq!(charset.trim().to_lowercase(), "charset=utf-8", "{path}: {kind}");
        }
        kinds.insert(media.to_owned());
    }
    // JSON is UTF-8 by itself (RFC 8259, 8.1).
    let told = [
        "application/json",
        "application/manifest+json",
        "image/svg+xml",
        "text/css",
        "text/html",
        "text/javascript",
        "text/plain",
    ];
    assert_eq!(kinds, told.map(str::to_owned).into());
}

#[tokio::test]
async fn the_mailbox_is_there_in_development_alone() {
    use proto::auth::v1::{ListMailResponse, Mail};
    let mail = Mail {
        id: "1".into(),
        to: "ada@example.org".into(),
        subject: "Your code <AB12CD>".into(),
        text: "Open http://127.0.0.1:8080/verify?x=1&y=2 now".into(),
        at: Some(prost_types::Timestamp { seconds: 1_790_000_000, nanos: 0 }),
    };
    let dev = house().await;
    dev.stage.says("auth.v1.Mailbox/ListMail", ListMailResponse { mails: vec![mail] });
    let (_, mails) = json(dev.get("/dev/mailbox.json")).await;
    assert_eq!(mails[0]["to"], "ada@example.org");
    assert_eq!(mails[0]["at"], "2026-09-21T14:13:20Z");
    let page = dev.get("/dev/mailbox").send().await.expect("an answer").text().await.expect("a page");
    assert!(page.contains("Your code &lt;AB12CD&gt;"), "{page}");
    assert!(page.contains(r#"<a href="http://127.0.0.1:8080/verify?x=1&amp;y=2">"#), "{page}");
    assert!(page.contains(r#"href="/sandbox.css""#));

    let live = house_with(|config| config.common.dev = false).await;
    assert_eq!(live.get("/dev/mailbox").send().await.expect("an answer").status(), 404);
    assert_eq!(json(live.get("/dev/mailbox.json")).await.0, 404);
    assert!(live.stage.calls("auth.v1.Mailbox/ListMail").is_empty());
}

#[tokio::test]
async fn meta_names_the_engines_and_remembers_the_last() {
    use proto::chat::v1::GetEngineResponse;
    let house = house().await;
    house.stage.refuses("chat.v1.Generations/GetEngine", tonic::Status::unavailable("x"));
    let (status, unknown) = json(house.get("/api/meta")).await;
    assert_eq!(
        (status, unknown["engines"]["text"]["name"].as_str()),
        (200, Some("")),
        "chat away hides nothing else"
    );
    assert_eq!(unknown["limits"]["tagsMax"], 5);
    house
        .stage
        .says("chat.v1.Generations/GetEngine", GetEngineResponse { name: "improv".into(), offline: true });
    let (status, meta) = json(house.get("/api/meta")).await;
    assert_eq!(status, 200);
    assert_eq!(
        meta["engines"],
        serde_json::json!({ "text": { "name": "improv", "offline": true }, "image": { "name": "playbill" } })
    );
    assert_eq!((meta["limits"]["tagsMax"].as_u64(), meta["dev"].as_bool()), (Some(5), Some(true)));
    house.stage.refuses("chat.v1.Generations/GetEngine", tonic::Status::unavailable("x"));
    assert_eq!(json(house.get("/api/meta")).await.1["engines"]["text"]["name"], "improv");
}

#[tokio::test]
async fn files_compressed_by_the_build_go_to_whom_takes_them() {
    let house = house().await;
    let asked =
        |takes: &'static str| house.get("/assets/main-4f3a2b1c.js").header("accept-encoding", takes).send();
    let packed = asked("gzip, br").await.expect("an answer");
    assert_eq!(header(&packed, "content-encoding"), "br");
    assert_eq!(header(&packed, "vary"), "accept-encoding");
    assert!(header(&packed, "content-type").starts_with("text/javascript"));
    assert_eq!(packed.bytes().await.expect("bytes"), "as the build packed it");
    for takes in ["identity", "br;q=0"] {
        let plain = asked(takes).await.expect("an answer");
        assert!(plain.headers().get("content-encoding").is_none(), "{takes}");
        assert_ne!(plain.bytes().await.expect("bytes"), "as the build packed it", "{takes}");
    }
}
