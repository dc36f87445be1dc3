//! Logs, traces and metrics.
//!
//! Logs go to standard error (JSON unless `LOG_FORMAT=text`), filtered by `LOG`. Traces go by OTLP
//! when `OTEL_EXPORTER_OTLP_ENDPOINT` is set. Metrics are read at `/metrics` on the operations port.
//! Chat text, prompts, e-mail addresses, tokens and passwords are never logged.

use std::{collections::HashMap, env, sync::OnceLock};

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use opentelemetry::{
    global,
    propagation::TextMapPropagator as _,
    trace::{TraceContextExt as _, TracerProvider as _},
};
use opentelemetry_sdk::{Resource, propagation::TraceContextPropagator, trace::SdkTracerProvider};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, layer::SubscriberExt as _, util::SubscriberInitExt as _};

/// Filter used when `LOG` is not set.
const DEFAULT_FILTER: &str = "info,lapin=warn,sqlx=warn,h2=warn,hyper=warn,tower=warn";

/// Seconds; from a cache hit to a slow upstream.
const BUCKETS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

static PROMETHEUS: OnceLock<PrometheusHandle> = OnceLock::new();

/// Flushes what is still on its way when it is dropped: keep it until the very end.
pub struct Guard(Option<SdkTracerProvider>);

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(provider) = self.0.take() {
            let _ = provider.shutdown();
        }
    }
}

/// Starts logs, traces and metrics for the process `name`. Called once, by `start::run`.
///
/// # Errors
/// When `LOG` is no filter, or the trace exporter cannot be built.
pub fn init(name: &'static str) -> anyhow::Result<Guard> {
    let filter = match env::var("LOG") {
        Ok(text) => EnvFilter::try_new(&text).map_err(|e| anyhow::anyhow!("LOG is no filter: {e}"))?,
        Err(_) => EnvFilter::new(DEFAULT_FILTER),
    };
    let lines = if env::var("LOG_FORMAT").is_ok_and(|f| f == "text") {
        tracing_subscriber::fmt::layer().with_writer(std::io::stderr).boxed()
    } else {
        tracing_subscriber::fmt::layer().json().flatten_event(true).with_writer(std::io::stderr).boxed()
    };
    let registry = tracing_subscriber::registry().with(filter).with(lines);

    let provider = if env::var_os("OTEL_EXPORTER_OTLP_ENDPOINT").is_some() {
        let exporter = opentelemetry_otlp::SpanExporter::builder().with_http().build()?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(Resource::builder().with_service_name(name).build())
            .build();
        global::set_tracer_provider(provider.clone());
        registry.with(tracing_opentelemetry::layer().with_tracer(provider.tracer("troupe"))).try_init()?;
        Some(provider)
    } else {
        registry.try_init()?;
        None
    };
    let _ = metrics();
    Ok(Guard(provider))
}

/// The process's metrics in the Prometheus text format.
pub(crate) fn metrics() -> &'static PrometheusHandle {
    PROMETHEUS.get_or_init(|| {
        PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), BUCKETS)
            .and_then(PrometheusBuilder::install_recorder)
            .expect("one recorder per process, and the buckets are not empty")
    })
}

/// W3C `traceparent` of the current span, when it is traced.
#[must_use]
pub fn traceparent() -> Option<String> {
    let context = Span::current().context();
    if !context.span().span_context().is_valid() {
        return None;
    }
    let mut carrier = HashMap::new();
    TraceContextPropagator::new().inject_context(&context, &mut carrier);
    carrier.remove("traceparent")
}

/// Makes the span a child of the caller's.
pub fn continue_trace(span: &Span, traceparent: &str) {
    let _ = span.set_parent(remote(traceparent));
}

/// Links the span to the one that caused it, without being a part of its trace: a consumer's work
/// may come long after.
pub(crate) fn link_trace(span: &Span, traceparent: &str) {
    span.add_link(remote(traceparent).span().span_context().clone());
}

fn remote(traceparent: &str) -> opentelemetry::Context {
    let carrier = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    TraceContextPropagator::new().extract(&carrier)
}
