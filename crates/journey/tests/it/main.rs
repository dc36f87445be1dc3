//! One picture, from the browser's wish to the browser's hint: one chain of spans, and no metric that is not documented.

mod collector;
mod documented;
mod house;

use futures::StreamExt as _;
use kit::testing::eventually;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;

use self::{
    collector::{Collector, Span},
    house::house,
};

/// What the browser (or the edge) says its request is part of.
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const ASKED_BY: &str = "b7ad6b7169203331";

// One test: subscriber and recorder are the process's.
#[tokio::test(flavor = "multi_thread")]
async fn one_picture_is_one_chain_of_spans() {
    let (collector, url) = Collector::open().await;
    let guard = kit::telemetry::init_to("journey", &url).expect("telemetry starts once");
    let house = house().await;
    let (_, ana) = house.issuer.user("ana");
    house.subscribe(&ana).await;

    let events = house.http.get(house.at("/api/events")).bearer_auth(&ana);
    let mut events = events.send().await.expect("an answer").bytes_stream();
    events.next().await.expect("a first comment").expect("a piece");
    let image = house.draw(&ana, &format!("00-{TRACE}-{ASKED_BY}-01")).await;
    let mut heard = String::new();
    let hint = format!(r#"{{"type":"image.completed","id":"{image}"}}"#);
    while !heard.contains(&hint) {
        let piece = tokio::time::timeout(std::time::Duration::from_secs(20), events.next()).await;
        let piece = piece.expect("the browser hears of it").expect("open").expect("a piece");
        heard.push_str(&String::from_utf8_lossy(&piece));
    }
    drop(events);

    // Spans are sent once they have ended, and the last of them ends after the hint was heard.
    let guard = std::sync::Arc::new(guard);
    let told = eventually(async || {
        let guard = guard.clone();
        let flushed = tokio::task::spawn_blocking(move || guard.flush()).await;
        flushed.expect("no panic").expect("the collector takes all");
        let settled = collector.all(|s| s.name == "consume media.image.completed");
        let hint = collector.all(|s| s.name == "hint image.completed" && s.is("hint.id") == image);
        (!settled.is_empty() && !hint.is_empty()).then_some(collector.clone())
    })
    .await;

    let one = |what: &str, wanted: &dyn Fn(&Span) -> bool| {
        let mut found = told.all(wanted);
        assert_eq!(found.len(), 1, "{what}: {found:#?}");
        found.remove(0)
    };
    let request = one("the request", &|s| s.trace == TRACE && s.name == "POST /api/images/create");
    assert_eq!((request.parent.as_str(), request.kind), (ASKED_BY, SpanKind::Server));
    assert_eq!(request.is("http.status"), "202");

    let create = one("media", &|s| s.name == "/troupe.media.v1.Images/CreateImage");
    assert_eq!((&create.trace, &create.parent), (&request.trace, &request.id), "BFF → media");
    let reserve = one("billing", &|s| s.name == "/troupe.billing.v1.Coins/ReserveCoins");
    assert_eq!((&reserve.trace, &reserve.parent), (&create.trace, &create.id), "media → billing");

    let ticket = one("the ticket", &|s| s.name == "consume media.job.queued");
    assert!(ticket.links.contains(&create.id), "media ⇢ outbox ⇢ RabbitMQ ⇢ worker: {ticket:#?}");
    assert_ne!(ticket.trace, TRACE, "work that may come long after is no part of the request");
    let draw = one("the drawing", &|s| s.name == "draw" && s.is("job") == image);
    assert_eq!(draw.parent, ticket.id);
    assert!(draw.links.contains(&create.id), "whose picture it is, whatever ticket led to it");

    let settled = one("billing, after it", &|s| {
        s.name == "consume media.image.completed" && s.is("queue") == "billing.events"
    });
    assert!(settled.links.contains(&draw.id), "worker ⇢ outbox ⇢ RabbitMQ ⇢ billing");
    let hint = one("the hint", &|s| s.name == "hint image.completed");
    assert!(hint.links.contains(&draw.id), "worker ⇢ Redis ⇢ BFF, whose event the browser has heard");

    assert!(told.all(|s| s.failed && s.trace == TRACE).is_empty(), "nothing has failed on the way");

    let undocumented = documented::all_of(&kit::telemetry::metrics().render());
    assert_eq!(undocumented, Vec::<String>::new(), "docs/operations/telemetry.md does not know these");
    // What exports blocks, so it ends where blocking is allowed.
    tokio::task::spawn_blocking(move || drop(guard)).await.expect("ended");
}
