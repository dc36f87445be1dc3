//! A line of the log: JSON, and in it the trace that it belongs to.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use opentelemetry::trace::TraceContextExt as _;
use tracing::{
    Dispatch, Event, Subscriber,
    dispatcher::{self, WeakDispatch},
    span,
};
use tracing_subscriber::{
    fmt::{
        FmtContext, FormatEvent, FormatFields,
        format::{Format, Json, JsonFields, Writer},
    },
    registry::LookupSpan,
};

/// Whom the formatter asks for ids. It is known only once the subscriber is whole.
#[derive(Clone, Default)]
pub(super) struct Whole(Arc<OnceLock<WeakDispatch>>);

impl Whole {
    /// From now on it is the one that is the default here.
    pub(super) fn is_default(&self) {
        let _ = self.0.set(dispatcher::get_default(Dispatch::downgrade));
    }
}

/// Writes each event as one JSON object, with `trace_id` and `span_id` where it has them.
pub(super) fn json<S>(whole: Whole) -> tracing_subscriber::fmt::Layer<S, JsonFields, WithIds>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    tracing_subscriber::fmt::layer()
        .json()
        .map_event_format(|format| WithIds { format: format.flatten_event(true), whole })
}

/// tracing-subscriber's JSON, with the ids before the rest.
pub(super) struct WithIds {
    format: Format<Json>,
    whole: Whole,
}

impl<S, N> FormatEvent<S, N> for WithIds
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = String::new();
        self.format.format_event(context, Writer::new(&mut line), event)?;
        let span = event.parent().and_then(|id| context.span(id)).or_else(|| context.lookup_current());
        match span.and_then(|span| self.ids_of(&span.id())) {
            Some((trace, span)) if line.starts_with('{') => {
                write!(writer, r#"{{"trace_id":"{trace}","span_id":"{span}",{}"#, &line[1..])
            }
            _ => writer.write_str(&line),
        }
    }
}

impl WithIds {
    fn ids_of(&self, id: &span::Id) -> Option<(opentelemetry::TraceId, opentelemetry::SpanId)> {
        let dispatch = self.whole.0.get()?.upgrade()?;
        let context = tracing_opentelemetry::get_otel_context(id, &dispatch)?;
        let span = context.span();
        let known = span.span_context();
        known.is_valid().then(|| (known.trace_id(), known.span_id()))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
    use serde_json::Value;
    use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;
    use crate::telemetry::{continue_trace, spans, traceparent};

    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no holder panics").extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The lines that `work` leaves, where nothing is exported.
    fn log_of(work: impl FnOnce()) -> Vec<Value> {
        let paper = Paper::default();
        let provider = SdkTracerProvider::builder().with_sampler(Sampler::AlwaysOff).build();
        let whole = Whole::default();
        let writer = paper.clone();
        let subscriber = tracing_subscriber::registry()
            .with(spans(&provider))
            .with(json(whole.clone()).with_writer(move || writer.clone()));
        tracing::subscriber::with_default(subscriber, || {
            whole.is_default();
            work();
        });
        let text = paper.0.lock().expect("no holder panics").clone();
        String::from_utf8(text)
            .expect("text")
            .lines()
            .map(|line| serde_json::from_str(line).expect("one JSON object a line"))
            .collect()
    }

    #[test]
    fn a_line_tells_its_trace_even_where_nothing_is_exported() {
        let mut told = None;
        let lines = log_of(|| {
            let span = tracing::info_span!("rpc");
            continue_trace(&span, "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
            let _entered = span.enter();
            told = traceparent();
            tracing::info!(count = 3, "drawn");
            tracing::info_span!("inner").in_scope(|| tracing::warn!("deeper"));
        });
        assert_eq!(lines.len(), 2);
        for line in &lines {
            assert_eq!(line["trace_id"], "0af7651916cd43dd8448eb211c80319c");
        }
        let own = lines[0]["span_id"].as_str().expect("an id");
        assert!(told.expect("traced").contains(own), "others are told the id that the log shows");
        assert_ne!(lines[1]["span_id"], lines[0]["span_id"]);
        assert_eq!((&lines[0]["message"], &lines[0]["count"]), (&"drawn".into(), &3.into()));
    }

    #[test]
    fn a_line_tells_when_it_was_written_in_utc() {
        let before = OffsetDateTime::now_utc();
        let lines = log_of(|| tracing::info!("starting"));
        let told = lines[0]["timestamp"].as_str().expect("a time");
        assert!(told.ends_with('Z'), "{told}");
        let at = OffsetDateTime::parse(told, &Rfc3339).expect("a time by RFC 3339");
        // It is told to the microsecond.
        assert!(at >= before - Duration::milliseconds(1) && at <= OffsetDateTime::now_utc(), "{told}");
    }

    #[test]
    fn a_line_outside_of_all_spans_has_no_ids() {
        let lines = log_of(|| tracing::info!("starting"));
        assert_eq!(lines[0]["message"], "starting");
        assert!(lines[0].get("trace_id").is_none());
    }
}
