//! What the processes tell Prometheus, held against the documented list.

use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = include_str!("../../../../docs/operations/telemetry.md");
/// Of Prometheus itself.
const OF_HISTOGRAMS: [&str; 3] = ["_bucket", "_sum", "_count"];
/// What one picture must leave behind, or the list would be held against nothing.
const EXPECTED: &[&str] = &[
    "http_requests_total",
    "http_request_seconds_bucket",
    "event_streams_open",
    "rpc_server_requests_total",
    "rpc_server_duration_seconds_count",
    "rpc_client_requests_total",
    "rpc_client_duration_seconds_count",
    "outbox_rows",
    "outbox_oldest_seconds",
    "outbox_published_total",
    "queue_messages",
    "queue_dead_messages",
    "consumed_total",
    "consume_seconds_bucket",
    "consume_lag_seconds_bucket",
    "db_connections",
    "db_connections_max",
    "image_jobs",
    "image_jobs_oldest_seconds",
    "image_job_seconds_bucket",
    "image_jobs_total",
    "coins_moved_total",
    "webhooks_total",
];

/// Metrics of the page with their labels.
fn page() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    PAGE.lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| {
            let (name, rest) = line.split_once("` | ")?;
            let mut cells = rest.split(" | ");
            let kind = cells.next()?;
            if !["counter", "gauge", "histogram"].contains(&kind) {
                return None;
            }
            let labels = cells.next()?.trim_matches(['|', ' ']);
            Some((name, labels.split(", ").filter(|label| !label.is_empty()).collect()))
        })
        .collect()
}

/// What is wrong with an exposition: metrics and labels that the page does not have, paths and ids in labels, and what
/// should be there and is not.
pub fn all_of(exposition: &str) -> Vec<String> {
    let page = page();
    let mut wrong = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for line in exposition.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap_or_default();
        seen.insert(name);
        let base = OF_HISTOGRAMS
            .iter()
            .filter_map(|end| name.strip_suffix(end))
            .find(|base| page.contains_key(base))
            .unwrap_or(name);
        let Some(labels) = page.get(base) else {
            wrong.insert(name.to_owned());
            continue;
        };
        for (label, value) in labels_of(line) {
            if label != "le" && !labels.contains(label) {
                wrong.insert(format!("{name}: label {label}"));
            }
            // A route with an id in it, or a method that somebody made up.
            if value.len() > 80 || value.split('/').any(|part| part.len() == 36 && part.contains('-')) {
                wrong.insert(format!("{name}: {label}={value}"));
            }
        }
    }
    wrong.extend(
        EXPECTED.iter().filter(|name| !seen.contains(**name)).map(|name| format!("{name} is missing")),
    );
    wrong.into_iter().collect()
}

/// Labels of one line; no value of ours has a quote or a comma in it.
fn labels_of(line: &str) -> Vec<(&str, &str)> {
    let Some((labels, _)) = line.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}')) else {
        return Vec::new();
    };
    labels
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (key.trim(), value.trim_matches('"')))
        .collect()
}
