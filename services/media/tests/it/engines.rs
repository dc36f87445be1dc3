//! Engines of others, in front of servers that answer as theirs do.

use std::{
    io::Cursor,
    net::TcpListener,
    sync::Arc,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use image::{DynamicImage, ImageFormat};
use kit::{config::Secret, testing::eventually};
use media::engines::{DrawRequest, EngineError, Format, ImageEngine, Kind, Options, Settings, Watch};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{bearer_token, body_json, body_partial_json, method, path, query_param},
};

/// Words that every negative prompt begins with.
const NEVER: &str = "child, children, kid, minor, underage";

fn settings(kind: Kind, server: &MockServer) -> Settings {
    Settings { image_engine: kind, image_base_url: Some(server.uri()), ..Settings::playbill() }
}

fn engine(kind: Kind, server: &MockServer) -> Arc<dyn ImageEngine> {
    let model = (kind == Kind::Comfy).then(|| "any.safetensors".to_owned());
    Settings { image_model: model, ..settings(kind, server) }.open().expect("an engine")
}

fn request() -> DrawRequest {
    let options = Options {
        gender: "female".into(),
        pose: "Leaning on a railing".into(),
        prompt: "in the rain".into(),
        ..Options::default()
    };
    DrawRequest { options, tags: vec!["noir".into()], seed: u64::MAX, format: Format::Portrait, cast: None }
}

fn picture() -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::new_rgb8(96, 128).write_to(&mut bytes, ImageFormat::Png).expect("a PNG");
    bytes.into_inner()
}

/// Draws, and answers the size or why not.
async fn drawn(engine: &Arc<dyn ImageEngine>) -> Result<(u32, u32), EngineError> {
    engine.draw(&request(), &Watch::nobody()).await.map(|d| (d.width, d.height))
}

/// What the server was asked at this path.
async fn asked(server: &MockServer, at: &str) -> Vec<Value> {
    let requests = server.received_requests().await.unwrap_or_default();
    let there = requests.iter().filter(|r| r.url.path() == at);
    there.map(|r| serde_json::from_slice(&r.body).unwrap_or(Value::Null)).collect()
}

async fn answers(server: &MockServer, verb: &str, at: &str, answer: ResponseTemplate) {
    Mock::given(method(verb)).and(path(at)).respond_with(answer).mount(server).await;
}

fn says(body: Value) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(body)
}

const IMAGES: &str = "/v1/images/generations";

#[tokio::test]
async fn openai_is_asked_in_prose_with_the_key_and_a_size_that_it_takes() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path(IMAGES))
        .and(bearer_token("sk-1"))
        .and(body_partial_json(json!({ "n": 1, "size": "1024x1536", "moderation": "auto" })))
        .respond_with(says(json!({ "data": [{ "b64_json": STANDARD.encode(picture()) }] })))
        .mount(&server)
        .await;
    let keyed = Settings { image_api_key: Some(Secret::new("sk-1")), ..settings(Kind::Openai, &server) };
    assert_eq!(drawn(&keyed.open().expect("an engine")).await.expect("drawn"), (96, 128));
    let prompt = asked(&server, IMAGES).await[0]["prompt"].as_str().expect("a text").to_owned();
    assert!(prompt.contains("an adult woman, leaning on a railing, in the rain, noir."), "{prompt}");
    assert!(prompt.contains("clearly an adult, at least 18 years old"), "{prompt}");
}

#[tokio::test]
async fn a_picture_is_only_fetched_from_the_configured_server() {
    let (server, elsewhere) = (MockServer::start().await, MockServer::start().await);
    for there in [&server, &elsewhere] {
        answers(there, "GET", "/a.png", ResponseTemplate::new(200).set_body_bytes(picture())).await;
    }
    let at = |url: String| json!({ "data": [{ "url": url }] });
    let own = at([&server.uri(), "/a.png"].concat());
    let other = at([&elsewhere.uri(), "/a.png"].concat());
    let inline = at(["data:image/png;base64,", &STANDARD.encode(picture())].concat());
    let engine = engine(Kind::Openai, &server);
    for (answer, taken) in [(own, true), (other, false), (inline, true), (json!({ "data": [] }), false)] {
        let mock = Mock::given(path(IMAGES)).respond_with(says(answer)).mount_as_scoped(&server).await;
        let outcome = drawn(&engine).await;
        assert!(if taken { outcome.is_ok() } else { matches!(outcome, Err(EngineError::Refused(_))) });
        drop(mock);
    }
    assert!(elsewhere.received_requests().await.unwrap_or_default().is_empty());
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_what_was_refused_is_not() {
    let server = MockServer::start().await;
    let engine = engine(Kind::Openai, &server);
    let blocked = json!({ "error": { "code": "moderation_blocked" } });
    let moved = ResponseTemplate::new(302).insert_header("location", "http://127.0.0.1:9/");
    let long = ResponseTemplate::new(200).set_body_bytes(vec![b' '; 16 * 1024 * 1024]);
    let table = [
        (ResponseTemplate::new(429), "unavailable"),
        (ResponseTemplate::new(503), "unavailable"),
        (ResponseTemplate::new(200).set_body_string("<html>"), "unavailable"),
        (ResponseTemplate::new(401), "refused"),
        (moved, "refused"),
        (long, "refused"),
        (says(json!({ "data": [{ "b64_json": STANDARD.encode(b"no picture") }] })), "refused"),
        (ResponseTemplate::new(400).set_body_json(blocked), "moderated"),
    ];
    for (answer, expected) in table {
        let mock = Mock::given(path(IMAGES)).respond_with(answer).mount_as_scoped(&server).await;
        let error = drawn(&engine).await.expect_err("no picture");
        let kind = match &error {
            EngineError::Unavailable(_) => "unavailable",
            EngineError::Refused(_) => "refused",
            EngineError::Moderated => "moderated",
            EngineError::Stopped => "stopped",
        };
        assert_eq!(kind, expected, "{error}");
        drop(mock);
    }
    let nobody =
        TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port that is free again");
    let base = ["http://", &nobody.to_string()].concat();
    let away = Settings { image_base_url: Some(base), ..settings(Kind::A1111, &server) };
    let away = away.open().expect("an engine");
    assert!(matches!(drawn(&away).await, Err(EngineError::Unavailable(_))));
}

const DRAW: &str = "/sdapi/v1/txt2img";
const PROGRESS: &str = "/sdapi/v1/progress";
const INTERRUPT: &str = "/sdapi/v1/interrupt";

#[tokio::test]
async fn a1111_tells_how_far_it_is_and_never_draws_minors() {
    let server = MockServer::start().await;
    let late = says(json!({ "images": [STANDARD.encode(picture())], "info": "{}" }));
    answers(&server, "POST", DRAW, late.set_delay(Duration::from_millis(1_200))).await;
    answers(&server, "GET", PROGRESS, says(json!({ "progress": 0.5 }))).await;
    let watch = Watch::nobody();
    let drawing = engine(Kind::A1111, &server).draw(&request(), &watch).await.expect("drawn");
    assert_eq!((drawing.width, drawing.height), (96, 128));
    assert!((*watch.progress().borrow() - 0.5).abs() < f32::EPSILON, "half was told");
    let body = &asked(&server, DRAW).await[0];
    assert!(body["negative_prompt"].as_str().is_some_and(|n| n.starts_with(NEVER)), "{body}");
    assert!(body["prompt"].as_str().is_some_and(|p| p.ends_with("in the rain, noir, adult, 18+")), "{body}");
    assert_eq!(
        (&body["width"], &body["height"], &body["seed"]),
        (&832.into(), &1216.into(), &u32::MAX.into())
    );
}

#[tokio::test]
async fn a1111_is_interrupted_when_nobody_wants_the_picture_unless_it_draws_anothers() {
    for (current, interrupted) in [(Value::Null, 1), (json!("somebody else's"), 0)] {
        let server = MockServer::start().await;
        let never = says(json!({ "images": [] })).set_delay(Duration::from_secs(60));
        answers(&server, "POST", DRAW, never).await;
        let progress = json!({ "progress": 0.1, "current_task": current });
        answers(&server, "GET", PROGRESS, says(progress)).await;
        answers(&server, "POST", INTERRUPT, says(json!({}))).await;
        let stop = CancellationToken::new();
        let (engine, watch) = (engine(Kind::A1111, &server), Watch::new(stop.clone()));
        let drawing = tokio::spawn(async move { engine.draw(&request(), &watch).await.map(|_| ()) });
        eventually(|| async { (!asked(&server, DRAW).await.is_empty()).then_some(()) }).await;
        stop.cancel();
        assert!(matches!(drawing.await.expect("no panic"), Err(EngineError::Stopped)));
        assert_eq!(asked(&server, INTERRUPT).await.len(), interrupted);
    }
}

#[tokio::test]
async fn an_engine_that_takes_too_long_is_interrupted_and_tried_again_later() {
    let server = MockServer::start().await;
    answers(&server, "POST", DRAW, says(json!({})).set_delay(Duration::from_secs(60))).await;
    answers(&server, "GET", PROGRESS, says(json!({ "progress": 0.1 }))).await;
    answers(&server, "POST", INTERRUPT, says(json!({}))).await;
    let hasty = Settings { image_timeout_s: 1, ..settings(Kind::A1111, &server) }.open().expect("an engine");
    assert!(matches!(drawn(&hasty).await, Err(EngineError::Unavailable(_))));
    assert_eq!(asked(&server, INTERRUPT).await.len(), 1);
}

/// The queue as `ComfyUI` tells it.
fn queue(running: &[&str], pending: &[&str]) -> ResponseTemplate {
    let list = |ids: &[&str]| ids.iter().map(|id| json!([0, id, {}, {}, []])).collect::<Vec<_>>();
    says(json!({ "queue_running": list(running), "queue_pending": list(pending) }))
}

#[tokio::test]
async fn comfy_runs_the_workflow_and_hands_over_what_it_saved() {
    let server = MockServer::start().await;
    answers(&server, "POST", "/prompt", says(json!({ "prompt_id": "p-1", "number": 1, "node_errors": {} })))
        .await;
    let first = Mock::given(path("/queue")).respond_with(queue(&["p-1"], &[])).up_to_n_times(2);
    first.mount(&server).await;
    answers(&server, "GET", "/queue", queue(&[], &[])).await;
    let unknown = Mock::given(path("/history/p-1")).respond_with(says(json!({}))).up_to_n_times(2);
    unknown.mount(&server).await;
    let done = json!({ "p-1": { "status": { "status_str": "success", "completed": true }, "outputs": {
        "8": { "images": [{ "filename": "look.png", "subfolder": "", "type": "temp" }] },
        "9": { "images": [{ "filename": "a b.png", "subfolder": "x", "type": "output" }] },
    } } });
    answers(&server, "GET", "/history/p-1", says(done)).await;
    Mock::given(path("/view"))
        .and(query_param("filename", "a b.png"))
        .and(query_param("subfolder", "x"))
        .and(query_param("type", "output"))
        .respond_with(ResponseTemplate::new(200).set_body_bytes(picture()))
        .mount(&server)
        .await;
    let watch = Watch::nobody();
    let drawing = engine(Kind::Comfy, &server).draw(&request(), &watch).await.expect("drawn");
    assert_eq!((drawing.width, drawing.height), (96, 128));
    assert!(*watch.progress().borrow() > 0.0);
    let graph = &asked(&server, "/prompt").await[0]["prompt"];
    assert!(graph["7"]["inputs"]["text"].as_str().is_some_and(|n| n.starts_with(NEVER)), "{graph}");
    assert!(
        graph["6"]["inputs"]["text"].as_str().is_some_and(|p| p.contains("leaning on railing")),
        "{graph}"
    );
    assert_eq!(graph["3"]["inputs"]["seed"], u64::MAX);
}

#[tokio::test]
async fn comfy_takes_what_nobody_wants_out_of_its_queue_or_interrupts_it() {
    for (state, ends_at, body) in [
        (queue(&["other"], &["p-1"]), "/queue", json!({ "delete": ["p-1"] })),
        (queue(&["p-1"], &["other"]), "/interrupt", json!({ "prompt_id": "p-1" })),
    ] {
        let server = MockServer::start().await;
        answers(&server, "POST", "/prompt", says(json!({ "prompt_id": "p-1" }))).await;
        answers(&server, "GET", "/queue", state).await;
        answers(&server, "GET", "/history/p-1", says(json!({}))).await;
        let ended = Mock::given(method("POST")).and(path(ends_at)).and(body_json(&body));
        ended.respond_with(ResponseTemplate::new(200)).expect(1).mount(&server).await;
        let stop = CancellationToken::new();
        let (engine, watch) = (engine(Kind::Comfy, &server), Watch::new(stop.clone()));
        let drawing = tokio::spawn(async move { engine.draw(&request(), &watch).await.map(|_| ()) });
        eventually(|| async { (!asked(&server, "/history/p-1").await.is_empty()).then_some(()) }).await;
        stop.cancel();
        assert!(matches!(drawing.await.expect("no panic"), Err(EngineError::Stopped)));
        server.verify().await;
    }
}

#[tokio::test]
async fn comfy_ends_at_once_when_nobody_wants_it_while_it_is_queued() {
    // As slow as may be, and just slow enough: then it is taken out again.
    for (late, ended) in [(8_000, 0), (700, 1)] {
        let server = MockServer::start().await;
        let taken = says(json!({ "prompt_id": "p-1" })).set_delay(Duration::from_millis(late));
        answers(&server, "POST", "/prompt", taken).await;
        answers(&server, "GET", "/queue", queue(&[], &["p-1"])).await;
        answers(&server, "POST", "/queue", ResponseTemplate::new(200)).await;
        let stop = CancellationToken::new();
        let (engine, watch) = (engine(Kind::Comfy, &server), Watch::new(stop.clone()));
        let drawing = tokio::spawn(async move { engine.draw(&request(), &watch).await.map(|_| ()) });
        eventually(|| async { (!asked(&server, "/prompt").await.is_empty()).then_some(()) }).await;
        let begin = Instant::now();
        stop.cancel();
        assert!(matches!(drawing.await.expect("no panic"), Err(EngineError::Stopped)));
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
        let requests = server.received_requests().await.unwrap_or_default();
        let deletes = requests.iter().filter(|r| r.method.as_str() == "POST" && r.url.path() == "/queue");
        assert_eq!(deletes.count(), ended);
    }
}

#[tokio::test]
async fn a_workflow_that_fails_is_not_tried_again_and_a_lost_one_is() {
    let server = MockServer::start().await;
    answers(&server, "POST", "/prompt", says(json!({ "prompt_id": "p-1" }))).await;
    answers(&server, "GET", "/queue", queue(&[], &[])).await;
    let failed = says(json!({ "p-1": { "status": { "status_str": "error" }, "outputs": {} } }));
    let mock = Mock::given(path("/history/p-1")).respond_with(failed).mount_as_scoped(&server).await;
    let engine = engine(Kind::Comfy, &server);
    assert!(matches!(drawn(&engine).await, Err(EngineError::Refused(_))));
    drop(mock);
    answers(&server, "GET", "/history/p-1", says(json!({}))).await;
    assert!(matches!(drawn(&engine).await, Err(EngineError::Unavailable(_))));
}

#[tokio::test]
async fn a_worker_that_could_not_draw_does_not_start() {
    let server = MockServer::start().await;
    let refused = |settings: Settings| settings.open().err().expect("refused").to_string();
    let nowhere = Settings { image_base_url: None, ..settings(Kind::A1111, &server) };
    assert!(refused(nowhere).contains("IMAGE_BASE_URL"));
    let odd = Settings { image_base_url: Some("ftp://127.0.0.1".into()), ..settings(Kind::A1111, &server) };
    assert!(refused(odd).contains("IMAGE_BASE_URL"));
    assert!(refused(settings(Kind::Comfy, &server)).contains("IMAGE_MODEL"));
    assert!(
        refused(Settings { image_timeout_s: 0, ..settings(Kind::A1111, &server) })
            .contains("IMAGE_TIMEOUT_S")
    );
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), r#"{"1":{"class_type":"X","inputs":{"a":"%prompt% %seed%"}}}"#)
        .expect("written");
    let open = Settings { image_workflow_file: Some(file.path().into()), ..settings(Kind::Comfy, &server) };
    assert!(open.open().err().is_some_and(|e| format!("{e:#}").contains("%negative_prompt%")));
}
