//! What a browser has to load: JavaScript of the first view, and what Lighthouse makes of it.

use std::process::Command;

use anyhow::{Context as _, Result};
use xtask::instance::root;

use super::{
    House,
    report::{Report, Row},
};

/// Open WebUI 0.12.4, JavaScript that its entry preloads, kB by gzip; measured elsewhere.
const OPEN_WEBUI: f64 = 304.0;

/// Goal 13, of the web app that the house was opened with. A quick run leaves Lighthouse out.
///
/// # Errors
/// When a script of the web app cannot be run or says nothing.
pub fn measure(house: &House, report: &mut Report) -> Result<()> {
    let said = npm("first-view", &house.direct)?;
    // `first view: 95.1 kB of JavaScript in 7 files (Brotli; 108.2 kB by gzip), budget 110.0 kB`
    let gzip = said
        .split_once("Brotli; ")
        .and_then(|(_, rest)| rest.split(' ').next())
        .and_then(|n| n.parse().ok())
        .with_context(|| format!("no size in: {said}"))?;
    report.rows.push(
        Row::new(13, "JavaScript of the first view, gzip", "kB", gzip)
            .beside("kB Open WebUI, elsewhere", OPEN_WEBUI)
            .at_most(110.0),
    );
    if house.quick {
        return Ok(());
    }
    let said = npm("lighthouse", &house.direct)?;
    // `/ performance 95 · accessibility 100 · best-practices 100 · seo 100 (performance 94, 95, 96)`
    for line in said.lines().filter(|line| line.starts_with('/')) {
        let page = line.split(' ').next().unwrap_or_default();
        for (category, wanted) in [("performance", 95.0), ("accessibility", 100.0), ("best-practices", 100.0)]
        {
            let score = line
                .split_once(category)
                .and_then(|(_, rest)| rest.split_whitespace().next())
                .and_then(|n| n.parse().ok())
                .with_context(|| format!("no {category} in: {line}"))?;
            let page = if page.starts_with("/character/") { "/character/…" } else { page };
            let row = Row::new(13, format!("Lighthouse, a phone, {page}, {category}"), "of 100", score);
            report.rows.push(row.at_least(wanted));
        }
    }
    Ok(())
}

fn npm(script: &str, house: &str) -> Result<String> {
    let ran = Command::new("npm")
        .args(["run", "--silent", script])
        .current_dir(root().join("web"))
        .env("TROUPE_URL", house)
        .output()
        .context("npm cannot be run")?;
    // A score below what the script wants is ours to judge.
    Ok(String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned())
}
