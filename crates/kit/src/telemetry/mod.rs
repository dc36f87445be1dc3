//! Logs, traces and metrics.
//!
//! Logs go to standard error (JSON unless `LOG_FORMAT=text`), filtered by `LOG`, each line with the ids of its trace.
//! Traces go by OTLP when `OTEL_EXPORTER_OTLP_ENDPOINT` is set; without it they only have ids. Metrics are read at
//! `/metrics` on the operations port. Chat text, prompts, e-mail addresses, tokens and passwords are never logged.
//! What is measured stands in `docs/operations/telemetry.md`.

mod lines;

use std::{collections::HashMap, env, fmt::Write as _, io::stderr, sync::OnceLock};

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use opentelemetry::{
    global,
    propagation::TextMapPropagator as _,
    trace::{TraceContextExt as _, TraceFlags, TracerProvider as _},
};
use opentelemetry_otlp::WithExportConfig as _;
use opentelemetry_sdk::{
    Resource,
    propagation::TraceContextPropagator,
    trace::{Sampler, SdkTracerProvider},
};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::{
    Layer as _,
    filter::{LevelFilter, Targets},
    layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

/// Filter used when `LOG` is not set.
const DEFAULT_FILTER: &str = "info,lapin=warn,sqlx=warn,h2=warn,hyper=warn,tower=warn";

/// Seconds; from a cache hit to a slow upstream.
const BUCKETS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
/// Seconds; what waits or is drawn takes longer.
const LONG_BUCKETS: &[f64] = &[0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0];
/// From a model on a processor to a fast service.
const RATE_BUCKETS: &[f64] = &[1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0];

/// Characters of a `traceparent` (W3C Trace Context, 3.2.2).
const TRACEPARENT: usize = 55;

static PROMETHEUS: OnceLock<PrometheusHandle> = OnceLock::new();

/// Flushes what is still on its way when it is dropped: keep it until the very end.
pub struct Guard(SdkTracerProvider);

impl Guard {
    /// Sends the spans that have ended; blocks until they are taken.
    ///
    /// # Errors
    /// When the collector does not take them.
    pub fn flush(&self) -> anyhow::Result<()> {
        Ok(self.0.force_flush()?)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.shutdown();
    }
}

/// Starts logs, traces and metrics for the process `name`. Called once, by `start::run`.
///
/// # Errors
/// When `LOG` is no filter, or the trace exporter cannot be built.
pub fn init(name: &'static str) -> anyhow::Result<Guard> {
    // The exporter reads the address, and whatever else OpenTelemetry has variables for, by itself.
    let exporter = opentelemetry_otlp::SpanExporter::builder().with_http();
    let exports = env::var_os("OTEL_EXPORTER_OTLP_ENDPOINT").is_some();
    start(name, if exports { Some(exporter.build()?) } else { None })
}

/// The same, with traces to this address (`http://host:port/v1/traces`) whatever the environment says.
///
/// # Errors
/// When `LOG` is no filter, or the trace exporter cannot be built.
pub fn init_to(name: &'static str, traces: &str) -> anyhow::Result<Guard> {
    start(name, Some(opentelemetry_otlp::SpanExporter::builder().with_http().with_endpoint(traces).build()?))
}

fn start(name: &'static str, exporter: Option<opentelemetry_otlp::SpanExporter>) -> anyhow::Result<Guard> {
    let filter: Targets = match env::var("LOG") {
        Ok(text) => text.parse().map_err(|e| anyhow::anyhow!("LOG is no filter: {e}"))?,
        Err(_) => DEFAULT_FILTER.parse()?,
    };
    let provider =
        SdkTracerProvider::builder().with_resource(Resource::builder().with_service_name(name).build());
    let provider = match exporter {
        Some(exporter) => provider.with_batch_exporter(exporter),
        // Ids for the log, and nothing that is kept.
        None => provider.with_sampler(Sampler::AlwaysOff),
    }
    .build();
    global::set_tracer_provider(provider.clone());

    let text = env::var("LOG_FORMAT").is_ok_and(|f| f == "text");
    let whole = lines::Whole::default();
    subscriber(&provider, filter, text, whole.clone()).try_init()?;
    whole.is_default();
    let _ = metrics();
    Ok(Guard(provider))
}

/// What hears of all spans and events. It says that it wants none below `INFO` but those that `LOG` asks for, so that
/// what nobody reads is not even made. Entering a span is on the way of every row of a database and of every piece of a
/// reply: one layer alone has a filter of its own, which is asked each time, and one that does not ask for the span.
fn subscriber(
    provider: &SdkTracerProvider,
    filter: Targets,
    text: bool,
    whole: lines::Whole,
) -> impl tracing::Subscriber + Send + Sync + use<> {
    let lines = if text {
        tracing_subscriber::fmt::layer().with_writer(stderr).boxed()
    } else {
        lines::json(whole).with_writer(stderr).boxed()
    };
    // `LOG` is for lines alone: traces and their ids are there however quiet a log is.
    tracing_subscriber::registry()
        .with(spans(provider))
        .with(lines.with_filter(filter.clone()))
        .with(traced(filter))
}

/// What is asked for, and all of `INFO`.
fn traced(filter: Targets) -> Targets {
    let usual = filter.default_level().unwrap_or(LevelFilter::OFF).max(LevelFilter::INFO);
    let targets = filter.into_iter().map(|(target, level)| (target, level.max(LevelFilter::INFO)));
    Targets::new().with_default(usual).with_targets(targets)
}

/// What makes spans of this crate's kind into OpenTelemetry's. Entering a span is on the way of every piece of a reply,
/// so all is left out that would be done each time.
fn spans<S>(provider: &SdkTracerProvider) -> impl tracing_subscriber::Layer<S> + use<S>
where
    S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
{
    tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("troupe"))
        .with_tracked_inactivity(false)
        .with_context_activation(false)
        .with_location(false)
        .with_threads(false)
}

/// The process's metrics in the Prometheus text format.
pub fn metrics() -> &'static PrometheusHandle {
    PROMETHEUS.get_or_init(|| {
        PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), BUCKETS)
            .and_then(|b| b.set_buckets_for_metric(Matcher::Full("consume_lag_seconds".into()), LONG_BUCKETS))
            .and_then(|b| b.set_buckets_for_metric(Matcher::Full("image_job_seconds".into()), LONG_BUCKETS))
            .and_then(|b| b.set_buckets_for_metric(Matcher::Suffix("_per_second".into()), RATE_BUCKETS))
            .and_then(PrometheusBuilder::install_recorder)
            .expect("one recorder per process, and the buckets are not empty")
    })
}

/// W3C `traceparent` of the current span, when it is traced: version, trace, span and flags in hexadecimal digits
/// (Trace Context, 3.2). Written here and not by `TraceContextPropagator`, which puts it into a map of texts, beside a
/// `tracestate` that nobody reads: each call, each hint and each row of an outbox asks for it.
#[must_use]
pub fn traceparent() -> Option<String> {
    let context = Span::current().context();
    let span = context.span();
    let at = span.span_context();
    let flags = at.trace_flags() & TraceFlags::SAMPLED;
    at.is_valid().then(|| {
        let mut told = String::with_capacity(TRACEPARENT);
        // Writing to a text does not fail.
        let _ = write!(told, "00-{}-{}-{flags:02x}", at.trace_id(), at.span_id());
        told
    })
}

/// Adds to the span what is known at its end. It is for traces alone: `Span::record` would have the fields of a line read
/// and written anew, which takes longer than all else that a call leaves behind.
pub fn tell(span: &Span, key: &'static str, value: impl Into<opentelemetry::Value>) {
    span.set_attribute(key, value);
}

/// Makes the span a child of the caller's.
pub fn continue_trace(span: &Span, traceparent: &str) {
    let _ = span.set_parent(remote(traceparent));
}

/// Links the span to the one that caused it, without being a part of its trace: a consumer's work
/// may come long after.
pub fn link_trace(span: &Span, traceparent: &str) {
    span.add_link(remote(traceparent).span().span_context().clone());
}

fn remote(traceparent: &str) -> opentelemetry::Context {
    let carrier = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    TraceContextPropagator::new().extract(&carrier)
}

#[cfg(test)]
mod tests {
    use tracing::Subscriber as _;

    use super::*;

    #[test]
    fn what_nobody_reads_is_not_made() {
        let wanted = |filter: &str| {
            let provider = SdkTracerProvider::builder().build();
            subscriber(&provider, filter.parse().expect("a filter"), false, lines::Whole::default())
                .max_level_hint()
        };
        assert_eq!(wanted(DEFAULT_FILTER), Some(LevelFilter::INFO));
        assert_eq!(wanted("warn"), Some(LevelFilter::INFO), "traces are there however quiet a log is");
        assert_eq!(wanted("info,chat=debug"), Some(LevelFilter::DEBUG));
    }

    #[test]
    fn others_are_told_of_a_span_what_the_library_would_tell_them() {
        for sampler in [Sampler::AlwaysOn, Sampler::AlwaysOff] {
            let provider = SdkTracerProvider::builder().with_sampler(sampler.clone()).build();
            let subscriber = subscriber(
                &provider,
                DEFAULT_FILTER.parse().expect("a filter"),
                false,
                lines::Whole::default(),
            );
            tracing::subscriber::with_default(subscriber, || {
                assert_eq!(traceparent(), None, "nothing is traced yet");
                let span = tracing::info_span!("a request");
                let _entered = span.enter();
                let mut library = HashMap::new();
                TraceContextPropagator::new().inject_context(&span.context(), &mut library);
                assert_eq!(traceparent(), library.remove("traceparent"), "{sampler:?}");
                assert!(traceparent().is_some());
            });
        }
    }
}
