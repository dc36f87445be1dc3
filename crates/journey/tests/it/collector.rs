//! Takes traces as a collector does: OTLP over HTTP.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{Router, extract::State, http::StatusCode, routing::post};
use bytes::Bytes;
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::any_value::Value,
    trace::v1::{Span as Sent, span::SpanKind},
};
use prost::Message as _;

/// A span as the tests speak of it.
#[derive(Debug, Clone)]
pub struct Span {
    pub name: String,
    pub kind: SpanKind,
    pub trace: String,
    pub id: String,
    pub parent: String,
    /// Ids of the spans that caused it.
    pub links: Vec<String>,
    pub failed: bool,
    attributes: BTreeMap<String, String>,
}

impl Span {
    /// An attribute as text; empty where it has none.
    pub fn is(&self, key: &str) -> &str {
        self.attributes.get(key).map_or("", String::as_str)
    }
}

impl From<Sent> for Span {
    fn from(span: Sent) -> Self {
        let text = |value: Value| match value {
            Value::StringValue(text) => text,
            Value::IntValue(number) => number.to_string(),
            Value::BoolValue(is) => is.to_string(),
            other => format!("{other:?}"),
        };
        Self {
            kind: span.kind(),
            name: span.name,
            trace: hex::encode(span.trace_id),
            id: hex::encode(span.span_id),
            parent: hex::encode(span.parent_span_id),
            links: span.links.into_iter().map(|link| hex::encode(link.span_id)).collect(),
            failed: span.status.is_some_and(|status| status.code == 2),
            attributes: span
                .attributes
                .into_iter()
                .filter_map(|a| Some((a.key, text(a.value?.value?))))
                .collect(),
        }
    }
}

/// What has come so far. Cheap to clone.
#[derive(Clone, Default)]
pub struct Collector(Arc<Mutex<Vec<Span>>>);

impl Collector {
    /// Listens; answers with the address that exporters are told.
    pub async fn open() -> (Self, String) {
        let collector = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/v1/traces", listener.local_addr().expect("bound"));
        let router = Router::new().route("/v1/traces", post(take)).with_state(collector.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        (collector, url)
    }

    /// The spans that this is true of, in the order in which they ended.
    pub fn all(&self, wanted: impl Fn(&Span) -> bool) -> Vec<Span> {
        self.0.lock().expect("no holder panics").iter().filter(|span| wanted(span)).cloned().collect()
    }
}

async fn take(State(collector): State<Collector>, body: Bytes) -> StatusCode {
    let Ok(request) = ExportTraceServiceRequest::decode(body) else { return StatusCode::BAD_REQUEST };
    let spans = request.resource_spans.into_iter().flat_map(|r| r.scope_spans).flat_map(|s| s.spans);
    collector.0.lock().expect("no holder panics").extend(spans.map(Span::from));
    StatusCode::OK
}
