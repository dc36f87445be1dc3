//! How good and how fast the rules are: `cargo run --release -p troupe-moderation --example moderation_bench`.
//!
//! Prints recall and false positives by language and rule for the phrases that the rules were tuned on and for those that
//! they were not, and the speed of both ways to judge as a share of a plain lower-casing pass.

use std::{
    collections::BTreeMap,
    hint::black_box,
    time::{Duration, Instant},
};

use troupe_moderation::{Place, Released, StreamFilter, judge, judge_reply};

#[derive(Default)]
struct Score {
    bad: usize,
    caught: usize,
    exact: usize,
    good: usize,
    wrong: usize,
}

fn main() {
    for (name, set) in [
        ("tuned", include_str!("../tests/labelled/tuned.tsv")),
        ("held out", include_str!("../tests/labelled/held_out.tsv")),
    ] {
        measure(name, set);
    }
    speed();
}

fn measure(name: &str, set: &str) {
    let mut scores: BTreeMap<(u8, &str), Score> = BTreeMap::new();
    for line in set.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let [language, place, expected, text] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns: {line}");
        };
        let verdict = match text.split_once(" => ") {
            Some((turn, reply)) => judge_reply(turn, reply),
            None => judge(text, Place::named(place).expect("a place")),
        };
        let met = verdict.rule().map_or("allow", |rule| rule.as_str());
        for key in [(0, "all"), (1, language), (2, expected)] {
            let score = scores.entry(key).or_default();
            if expected == "allow" {
                score.good += 1;
                score.wrong += usize::from(met != "allow");
            } else {
                score.bad += 1;
                score.caught += usize::from(met != "allow");
                score.exact += usize::from(met == expected);
            }
        }
        if met != expected && name == "tuned" {
            println!("  {name}: {met} where {expected} was expected: [{place}] {text}");
        }
    }
    println!("\n{name:<26}{:>8}{:>10}{:>10}{:>8}{:>10}", "to stop", "recall", "by rule", "benign", "wrong");
    for ((_, what), s) in &scores {
        let share = |part: usize, of: usize| {
            if of == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * part as f64 / of as f64) }
        };
        println!(
            "{what:<26}{:>8}{:>10}{:>10}{:>8}{:>10}",
            s.bad,
            share(s.caught, s.bad),
            share(s.exact, s.bad),
            s.good,
            share(s.wrong, s.good)
        );
    }
    println!();
}

/// The shortest of several runs.
fn best(mut run: impl FnMut()) -> Duration {
    let timed = (0..7).map(|_| {
        let begun = Instant::now();
        run();
        begun.elapsed()
    });
    timed.min().expect("seven runs")
}

fn speed() {
    let prose = include_str!("../tests/labelled/prose.txt").repeat(64);
    let rate = |time: Duration| prose.len() as f64 / time.as_secs_f64() / 1e6;
    let pieces: Vec<String> =
        prose.chars().collect::<Vec<_>>().chunks(5).map(|c| c.iter().collect()).collect();
    let plain = best(|| drop(black_box(prose.to_lowercase())));
    let judged = best(|| assert_eq!(judge(black_box(&prose), Place::Card).rule(), None, "ordinary prose"));
    let streamed = best(|| {
        let mut filter = StreamFilter::new();
        for piece in &pieces {
            assert!(matches!(black_box(filter.push(piece)), Released::Text(_)), "ordinary prose");
        }
    });
    for (what, time) in [("lower case", plain), ("judge", judged), ("stream filter", streamed)] {
        let share = plain.as_secs_f64() / time.as_secs_f64();
        println!("{what:<16}{:>9.1} MB/s {share:>8.4} of a lower-casing pass", rate(time));
    }
}
