//! What is measured: the code, the documented list, the rules, the dashboards and the runbook hold together, and the
//! programs that will load the files take them.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

/// Labels of whoever scrapes, and of histograms and alerts themselves.
const GIVEN_LABELS: [&str; 7] = ["job", "instance", "namespace", "pod", "le", "alertname", "alertstate"];
/// Metrics of Prometheus itself.
const GIVEN_METRICS: [&str; 2] = ["up", "ALERTS"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

fn files(folder: &str, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Kind and labels, by name.
type Metrics = BTreeMap<String, (String, BTreeSet<String>)>;

/// The list of docs/operations/telemetry.md.
fn documented() -> Metrics {
    let mut metrics = Metrics::new();
    for line in read("docs/operations/telemetry.md").lines() {
        let Some((name, rest)) = line.strip_prefix("| `").and_then(|rest| rest.split_once("` | ")) else {
            continue;
        };
        let cells: Vec<&str> = rest.trim_end_matches(" |").split('|').map(str::trim).collect();
        let [kind @ ("counter" | "gauge" | "histogram"), labels, meaning] = cells[..] else { continue };
        assert!(!meaning.is_empty(), "{name} is not explained");
        let labels = labels.split(", ").filter(|label| !label.is_empty()).map(str::to_owned).collect();
        assert!(metrics.insert(name.to_owned(), (kind.to_owned(), labels)).is_none(), "{name} stands twice");
    }
    metrics
}

/// What others tell and we read, by the second list of docs/operations/telemetry.md: who tells it, and labels.
fn of_others() -> Metrics {
    let document = read("docs/operations/telemetry.md");
    let rows = document.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    let cells = rows.map(|(name, rest)| (name, rest.split('|').map(str::trim).collect::<Vec<_>>()));
    let told = cells.filter(|(_, cells)| ["Envoy", "RabbitMQ"].contains(&cells[0]));
    told.map(|(name, cells)| {
        let labels = cells[1].split(", ").map(str::to_owned).collect();
        (name.to_owned(), (cells[0].to_owned(), labels))
    })
    .collect()
}

/// What follows an opening parenthesis, up to the one that closes it.
fn within(text: &str) -> &str {
    let (mut depth, mut quoted) = (1, false);
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if before != '\\' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
        before = letter;
    }
    text
}

/// Every `metrics::counter!`, `gauge!` and `histogram!` of the rooms. A name or a label that is no literal is refused:
/// nobody could look for it.
fn emitted() -> Metrics {
    let mut metrics = Metrics::new();
    let mut sources = files("crates/kit/src", ".rs");
    for room in ["crates/moderation/src", "services", "bff/src"] {
        sources.extend(files(room, ".rs"));
    }
    for source in sources.iter().filter(|path| path.components().any(|part| part.as_os_str() == "src")) {
        let text = fs::read_to_string(source).expect("text");
        for kind in ["counter", "gauge", "histogram"] {
            for (at, call) in text.match_indices(&format!("metrics::{kind}!(")) {
                let arguments = within(&text[at + call.len()..]);
                let place = source.display();
                let mut literals = arguments.split('"');
                assert!(
                    literals.next().is_some_and(|s| s.trim().is_empty()),
                    "{place}: a name that is no literal"
                );
                let name = literals.next().unwrap_or_default();
                let labels: BTreeSet<String> = arguments
                    .match_indices("=>")
                    .map(|(at, _)| {
                        let label =
                            arguments[..at].trim_end().strip_suffix('"').and_then(|s| s.rsplit('"').next());
                        label
                            .unwrap_or_else(|| panic!("{place}: a label of {name} that is no literal"))
                            .to_owned()
                    })
                    .collect();
                let entry = (kind.to_owned(), labels);
                let known = metrics.entry(name.to_owned()).or_insert_with(|| entry.clone());
                assert_eq!(*known, entry, "{place}: {name} is told otherwise elsewhere");
            }
        }
    }
    metrics
}

#[test]
fn the_list_of_metrics_is_what_the_code_tells() {
    let (documented, emitted) = (documented(), emitted());
    assert!(emitted.len() > 30, "the code is not read right");
    for (name, entry) in &emitted {
        assert_eq!(documented.get(name), Some(entry), "{name} in docs/operations/telemetry.md");
    }
    for name in documented.keys() {
        assert!(emitted.contains_key(name), "{name} is documented, and nothing tells it");
    }
    for (name, (kind, _)) in &emitted {
        assert_eq!(
            name.ends_with("_total"),
            kind == "counter",
            "{name}: counters end with _total, and only they"
        );
    }
}

/// Names of metrics and of labels in an expression.
fn names(expression: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    const WORDS: [&str; 15] = [
        "by",
        "without",
        "on",
        "ignoring",
        "and",
        "or",
        "unless",
        "bool",
        "offset",
        "group_left",
        "group_right",
        "sum",
        "max",
        "min",
        "count",
    ];
    let word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == ':';
    let (mut metrics, mut labels) = (BTreeSet::new(), BTreeSet::new());
    let mut rest = expression;
    let (mut lists_labels, mut matches) = (false, false);
    while let Some(letter) = rest.chars().next() {
        if letter == '"' {
            let end = rest[1..].find('"').expect("a quote that ends");
            rest = &rest[end + 2..];
        } else if letter == '[' {
            rest = &rest[rest.find(']').expect("a range that ends")..];
        } else if letter.is_ascii_digit() {
            rest = rest.trim_start_matches(|l: char| word(l) || l == '.');
        } else if word(letter) {
            let end = rest.find(|l| !word(l)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let next = after.trim_start().chars().next();
            if ["by", "without", "on", "ignoring"].contains(&name) {
                lists_labels = true;
            } else if lists_labels || matches {
                labels.insert(name.to_owned());
            } else if next != Some('(') && !WORDS.contains(&name) {
                metrics.insert(name.to_owned());
            }
            rest = after;
        } else {
            match letter {
                ')' => lists_labels = false,
                '{' => matches = true,
                '}' => matches = false,
                _ => {}
            }
            rest = &rest[letter.len_utf8()..];
        }
    }
    (metrics, labels)
}

#[test]
fn expressions_are_read_right() {
    let (metrics, labels) = names(
        r#"histogram_quantile(0.95, sum by (le, job) (rate(a_seconds_bucket{route=~"/x.*", ok!="1"}[5m]))) > 1e3 and b:c_1h / 14.4"#,
    );
    assert_eq!(metrics, ["a_seconds_bucket", "b:c_1h"].map(String::from).into());
    assert_eq!(labels, ["job", "le", "ok", "route"].map(String::from).into());
}

fn yaml(path: &Path) -> serde_yaml_ng::Value {
    let text = fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    serde_yaml_ng::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

/// Every rule: the file's stem, and the rule.
fn rules() -> Vec<(String, serde_yaml_ng::Value)> {
    let mut rules = Vec::new();
    for path in files("deploy/prometheus/rules", ".yaml") {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        for group in yaml(&path)["groups"].as_sequence().expect("groups") {
            for rule in group["rules"].as_sequence().expect("rules") {
                rules.push((stem.clone(), rule.clone()));
            }
        }
    }
    rules
}

fn dashboards() -> Vec<(String, Value)> {
    files("deploy/grafana", ".json")
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("text");
            let value = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), value)
        })
        .collect()
}

/// Every query of a dashboard, with Grafana's own variables given a value.
fn queries(dashboard: &Value) -> Vec<String> {
    let panels = dashboard["panels"].as_array().expect("panels").iter();
    let mut queries: Vec<String> = panels
        .flat_map(|panel| panel["targets"].as_array().cloned().unwrap_or_default())
        .map(|target| target["expr"].as_str().expect("an expression").to_owned())
        .collect();
    for variable in dashboard["templating"]["list"].as_array().expect("variables") {
        let Some(query) = variable["query"]["query"].as_str() else { continue };
        let inner =
            query.strip_prefix("label_values(").and_then(|q| q.strip_suffix(')')).expect("label_values");
        let (metric, label) = inner.split_once(", ").expect("a metric and a label");
        queries.push(format!("count by ({label}) ({metric})"));
    }
    queries.iter().map(|q| q.replace("$__rate_interval", "5m").replace("$route", ".*")).collect()
}

/// Every query of prometheus-adapter, which replicas follow in a cluster: what it looks for, and what it asks then.
fn adapter() -> Vec<String> {
    let values = yaml(&root().join("k8s/components/monitoring/adapter.yaml"));
    let rules = values["rules"]["custom"].as_sequence().expect("rules").clone();
    assert!(rules.len() > 2, "the adapter's rules are not read right");
    rules
        .iter()
        .flat_map(|rule| {
            let series = rule["seriesQuery"].as_str().expect("a series");
            let name = series.split('{').next().unwrap_or_default();
            let query = rule["metricsQuery"].as_str().expect("a query").replace("<<.Series>>", name);
            let query = query.replace("<<.LabelMatchers>>", r#"namespace="troupe",pod=~"a|b""#);
            [series.to_owned(), query.replace("<<.GroupBy>>", "pod")]
        })
        .collect()
}

#[test]
fn rules_and_dashboards_ask_for_nothing_that_is_not_told() {
    let documented = documented();
    let of_others = of_others();
    assert!(of_others.len() > 3, "the second list is not read right");
    let recorded: BTreeSet<String> =
        rules().iter().filter_map(|(_, rule)| Some(rule["record"].as_str()?.to_owned())).collect();
    let told = documented.values().chain(of_others.values()).flat_map(|(_, labels)| labels);
    let labels: BTreeSet<&str> = told.map(String::as_str).chain(GIVEN_LABELS).collect();
    let mut asked: Vec<(String, String)> = Vec::new();
    for (file, rule) in rules() {
        asked.push((file, rule["expr"].as_str().expect("an expression").to_owned()));
    }
    for (file, dashboard) in dashboards() {
        asked.extend(queries(&dashboard).into_iter().map(|query| (file.clone(), query)));
    }
    asked.extend(adapter().into_iter().map(|query| ("adapter".to_owned(), query)));
    assert!(asked.len() > 80, "the files are not read right");
    let mut used = BTreeSet::new();
    for (file, expression) in asked {
        let (metrics, asked_labels) = names(&expression);
        assert!(!metrics.is_empty(), "{file}: {expression} asks for nothing");
        for metric in metrics {
            let of_histogram = ["_bucket", "_count", "_sum"].iter().find_map(|end| {
                let base = metric.strip_suffix(end)?;
                (documented.get(base)?.0 == "histogram").then(|| base.to_owned())
            });
            let plain = documented.get(&metric).is_some_and(|(kind, _)| kind != "histogram")
                || of_others.contains_key(&metric);
            let known = plain || GIVEN_METRICS.contains(&metric.as_str()) || recorded.contains(&metric);
            assert!(
                known || of_histogram.is_some(),
                "{file} asks for {metric}, which nothing tells: {expression}"
            );
            used.insert(of_histogram.unwrap_or(metric));
        }
        for label in asked_labels {
            assert!(labels.contains(label.as_str()), "{file}: there is no label {label}: {expression}");
        }
    }
    for name in documented.keys().chain(of_others.keys()) {
        assert!(used.contains(name), "{name} is told, and no rule and no dashboard shows it");
    }
}

#[test]
fn dashboards_are_whole() {
    let mut uids = BTreeSet::new();
    for (file, dashboard) in dashboards() {
        assert_eq!(dashboard["uid"], file.as_str(), "the file is named as what it is found by");
        assert!(uids.insert(file.clone()));
        let mut ids = BTreeSet::new();
        for panel in dashboard["panels"].as_array().expect("panels") {
            assert!(ids.insert(panel["id"].as_u64()), "{file}: an id stands twice");
            assert!(panel["gridPos"]["w"].as_u64().is_some_and(|w| w <= 24), "{file}: {}", panel["title"]);
            assert!(!panel["title"].as_str().unwrap_or_default().is_empty());
        }
    }
}

#[test]
fn every_alert_has_its_page_and_every_page_its_alert() {
    let mut alerts = BTreeSet::new();
    for (file, rule) in rules() {
        let Some(alert) = rule["alert"].as_str() else { continue };
        let page = format!("docs/operations/alerts/{alert}.md");
        assert_eq!(rule["annotations"]["runbook_url"].as_str(), Some(page.as_str()), "{file}: {alert}");
        for annotation in ["summary", "description"] {
            assert!(
                rule["annotations"][annotation].as_str().is_some_and(|s| !s.is_empty()),
                "{alert}: {annotation}"
            );
        }
        let severity = rule["labels"]["severity"].as_str();
        assert!(matches!(severity, Some("page" | "ticket")), "{alert}: {severity:?}");
        let text = read(&page);
        assert!(text.starts_with(&format!("# {alert}\n")), "{page} begins otherwise");
        for part in ["**What people notice.**", "## Where to look\n", "## What to do\n"] {
            assert!(text.contains(part), "{page} lacks {part}");
        }
        alerts.insert(alert.to_owned());
    }
    for path in files("docs/operations/alerts", ".md") {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(alerts.contains(&name), "{name}.md is the page of no alert");
        let text = fs::read_to_string(&path).expect("text");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
            let linked = path.parent().expect("a folder").join(target.0);
            assert!(linked.is_file(), "{name}.md leads to {}, which is not there", target.0);
        }
    }
}

/// Runs promtool, where the files are.
fn promtool(arguments: &[&str]) {
    let program = env::var("PROMTOOL").unwrap_or_else(|_| "promtool".into());
    let ran = Command::new(program).args(arguments).current_dir(root()).stdin(Stdio::null()).output();
    let ran =
        ran.expect("promtool is missing: run `cargo xtask test`, or install Debian's package prometheus");
    let said = [ran.stdout, ran.stderr].concat();
    assert!(ran.status.success(), "promtool {arguments:?}:\n{}", String::from_utf8_lossy(&said));
}

fn paths(folder: &str) -> Vec<String> {
    files(folder, ".yaml").iter().map(|path| path.display().to_string()).collect()
}

#[test]
fn prometheus_takes_its_files() {
    promtool(&["check", "config", "deploy/prometheus/prometheus.yaml"]);
    let rules = paths("deploy/prometheus/rules");
    promtool(&[&["check", "rules"], &rules.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());
}

#[test]
fn alerts_fire_where_they_must_and_nowhere_else() {
    let tests = paths("deploy/prometheus/tests");
    promtool(&[&["test", "rules"], &tests.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat());

    // Each alert, in each of its urgencies, is seen firing.
    let mut fired = BTreeSet::new();
    for path in tests {
        for test in yaml(Path::new(&path))["tests"].as_sequence().expect("tests") {
            for case in test["alert_rule_test"].as_sequence().expect("cases") {
                let name = case["alertname"].as_str().expect("a name");
                for alert in case["exp_alerts"].as_sequence().expect("a list") {
                    let severity = alert["exp_labels"]["severity"].as_str().expect("a severity");
                    fired.insert((name.to_owned(), severity.to_owned()));
                }
            }
        }
    }
    for (_, rule) in rules() {
        let Some(alert) = rule["alert"].as_str() else { continue };
        let severity = rule["labels"]["severity"].as_str().expect("a severity");
        assert!(
            fired.contains(&(alert.to_owned(), severity.to_owned())),
            "nothing makes {alert} ({severity}) fire"
        );
    }
}

/// Grafana has no program that reads a dashboard without running; its queries are Prometheus's, so promtool reads them.
#[test]
fn prometheus_takes_the_queries_of_the_dashboards_and_of_the_adapter() {
    let queries = dashboards().into_iter().flat_map(|(file, dashboard)| {
        queries(&dashboard).into_iter().map(move |query| (file.clone(), query)).collect::<Vec<_>>()
    });
    let queries = queries.chain(adapter().into_iter().map(|query| ("adapter".to_owned(), query)));
    let rules: Vec<Value> = queries
        .enumerate()
        .map(|(at, (file, query))| {
            let record = format!("{}:query_{at}", file.replace('-', "_"));
            serde_json::json!({ "record": record, "expr": query })
        })
        .collect();
    // JSON is YAML too.
    let text = serde_json::json!({ "groups": [{ "name": "dashboards", "rules": rules }] }).to_string();
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    promtool(&["check", "rules", &file.path().display().to_string()]);
}

/// The process's name is the label `job` that rules and dashboards go by.
#[test]
fn every_process_is_read() {
    let config = yaml(&root().join("deploy/prometheus/prometheus.yaml"));
    let jobs = config["scrape_configs"].as_sequence().expect("jobs");
    let read_jobs: BTreeSet<&str> = jobs.iter().filter_map(|job| job["job_name"].as_str()).collect();
    let services = read("crates/xtask/src/services.rs");
    let names = services.split("Service { name: \"").skip(1).filter_map(|rest| rest.split('"').next());
    let names: Vec<&str> = names.collect();
    assert_eq!(names.len(), 7, "the processes are not read right: {names:?}");
    // In a cluster these have ServiceMonitors.
    for name in names.into_iter().chain(["edge", "rabbitmq"]) {
        assert!(read_jobs.contains(name), "{name} is not read");
    }
}

/// What the collector itself would refuse first: a pipeline of parts that are not there, or a part in no pipeline.
#[test]
fn the_collector_s_pipelines_are_whole() {
    let config = yaml(&root().join("deploy/otel/collector.yaml"));
    let list = |value: &serde_yaml_ng::Value| -> BTreeSet<String> {
        let items = value.as_sequence().expect("a list").iter();
        items.map(|item| item.as_str().expect("a name").to_owned()).collect()
    };
    for kind in ["receivers", "processors", "exporters"] {
        let declared: BTreeSet<String> = config[kind]
            .as_mapping()
            .expect(kind)
            .keys()
            .map(|key| key.as_str().expect("a name").to_owned())
            .collect();
        let pipelines = config["service"]["pipelines"].as_mapping().expect("pipelines");
        let used: BTreeSet<String> = pipelines.values().flat_map(|pipeline| list(&pipeline[kind])).collect();
        assert_eq!(used, declared, "{kind}");
    }
    let processors = &config["service"]["pipelines"]["traces"]["processors"];
    assert_eq!(processors[0].as_str(), Some("memory_limiter"), "it must be able to refuse before all else");
}
