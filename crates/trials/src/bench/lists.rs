//! Lists and search over many characters.

use std::{
    iter,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use hdrhistogram::Histogram;
use reqwest::{Client, header};
use serde_json::Value;
use sqlx::PgPool;

use super::{
    House,
    load::{Taken, closed, open},
    meter::{Meter, sum},
    report::{Report, Row},
    totals,
};

/// Connections of the goal.
const CONNECTIONS: usize = 8;
/// Pages per second at which latencies are taken.
const RATE: f64 = 150.0;
/// Searches per second.
const SEARCH_RATE: f64 = 50.0;
/// Terms that rotate.
const TERMS: usize = 40;
/// Words that are searched for once each: more than are asked for at that rate while it is measured.
const NEW_WORDS: usize = 400;
/// Characters whose own pages are read, from the first of all to the last.
const SHOWN: usize = 400;
/// A page deep down.
const DEEP: u32 = 5_000;
/// The vocabulary of a million cards is made within.
const LEARNT_WITHIN: Duration = Duration::from_secs(120);
/// Rows of a page.
const PAGE: u32 = 20;
/// SillyTavern 1.19.0, CPU ms for the list of 1,000 cards, measured elsewhere.
const SILLYTAVERN: f64 = 101.0;
const SORTS: [&str; 5] = ["mostLiked", "popular", "trending", "recentHits", "new"];

/// An answer's bytes, uncompressed.
///
/// # Errors
/// When it is none.
pub async fn fetch(http: &Client, address: &str) -> Result<bytes::Bytes> {
    let asked = http.get(address).header(header::ACCEPT_ENCODING, "identity").send().await?;
    Ok(asked.error_for_status()?.bytes().await?)
}

/// Fetches addresses in turn.
fn rotating(house: &House, addresses: Vec<String>) -> impl super::load::Work + Clone {
    let http = house.http.clone();
    move |number: u64| {
        let (http, address) = (http.clone(), addresses[number as usize % addresses.len()].clone());
        async move { fetch(&http, &address).await.map(drop) }
    }
}

/// The slugs of all tags that have characters.
async fn tags(house: &House) -> Result<Vec<String>> {
    let told: Value =
        serde_json::from_slice(&fetch(&house.http, &format!("{}/api/categories", house.direct)).await?)?;
    let mut tags = Vec::new();
    collect(&told, &mut tags);
    ensure!(tags.len() >= 3, "no tags: {told}");
    Ok(tags)
}

fn collect(value: &Value, slugs: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if let Some(slug) = fields.get("slug").and_then(Value::as_str) {
                slugs.push(slug.to_owned());
            }
            fields.values().for_each(|value| collect(value, slugs));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, slugs)),
        _ => {}
    }
}

/// Any three tags: as many threes as there are tags, at least three, each tag with two others further and further away.
fn threes(tags: &[String]) -> Vec<[&str; 3]> {
    let third = tags.len() / 3;
    let tag = |n: usize| tags[n % tags.len()].as_str();
    (0..tags.len())
        .map(|n| (n, n + 1 + n % third))
        .map(|(n, far)| [tag(n), tag(far), tag(far + third)])
        .collect()
}

/// What the goal tells of a kind of page.
struct Read {
    /// By the connections of the goal, as fast as they can.
    most: Taken,
    /// At a fixed rate.
    steady: Taken,
    /// CPU of each process per page, µs.
    parts: Vec<(String, f64)>,
    /// The largest page, kB.
    heaviest: f64,
}

async fn read(house: &House, addresses: Vec<String>) -> Result<Read> {
    let mut heaviest = 0;
    for address in &addresses {
        heaviest = heaviest.max(fetch(&house.http, address).await?.len());
    }
    let work = rotating(house, addresses);
    closed(2, house.warm(), work.clone()).await.sound("pages, warming up")?;
    let meter = Meter::begin(house.services())?;
    let most = closed(CONNECTIONS, house.lasts(), work.clone()).await.sound("pages")?;
    let parts = meter.per(most.count())?;
    let steady = open(RATE, house.lasts(), work).await.sound("pages at a fixed rate")?;
    Ok(Read { most, steady, parts, heaviest: heaviest as f64 / 1000.0 })
}

/// Goals 6 and 7.
///
/// # Errors
/// When something fails that should not.
pub async fn pages(house: &House, report: &mut Report) -> Result<()> {
    // The words of all cards are learnt when they were loaded, which takes PostgreSQL a core for as long as it takes.
    terms(house, TERMS).await?;
    lists(house, report).await?;
    shown(house, report).await?;
    deep(house, report).await
}

/// How many characters lists go over.
fn listed(house: &House) -> Result<u32> {
    Ok(house.stand.sql("catalog", "select count(*) from listing where listed")?.parse()?)
}

/// A part of goal 6: lists of everything, of each tag and of three, by every sort.
async fn lists(house: &House, report: &mut Report) -> Result<()> {
    let search = |query: String| format!("{}/api/search?{query}", house.direct);
    let all = listed(house)?;
    let tags = tags(house).await?;
    let threes = threes(&tags);
    let one = tags.iter().map(|tag| format!("tags={tag}&"));
    let three = threes.iter().map(|three| format!("tags={}&", three.join(",")));
    let asked = iter::once(String::new()).chain(one).chain(three);
    let lists = asked.flat_map(|asked| SORTS.map(|sort| search(format!("{asked}sort={sort}")))).collect();
    let lists = read(house, lists).await?;
    report.rows.push(
        Row::new(6, format!("CPU per page of a list, {all} characters"), "ms", sum(&lists.parts) / 1000.0)
            .beside("ms SillyTavern's 1,000, elsewhere", SILLYTAVERN)
            .at_most(0.4)
            .cpu(&lists.parts)
            .note(format!("{:.0} pages per second", lists.most.rate())),
    );
    report.rows.push(
        Row::new(
            6,
            "times less of it than SillyTavern's list takes",
            "×",
            1000.0 * SILLYTAVERN / sum(&lists.parts),
        )
        .at_least(250.0),
    );
    let direct = hydration(house).await?;
    let p99 = |read: &Taken| read.percentile(99.0);
    report.rows.push(
        Row::new(
            6,
            "page of a list, every sort, every tag, any three, 8 connections, p99",
            "ms",
            p99(&lists.most),
        )
        .beside("ms its rows by direct SQL", direct)
        .at_most(10.0)
        .note(format!("p50 {:.2} ms", lists.most.percentile(50.0))),
    );
    report.rows.push(Row::new(6, format!("the same at {RATE:.0}/s, p99"), "ms", p99(&lists.steady)));
    report.rows.push(Row::new(6, "the largest page of a list", "kB", lists.heaviest).at_most(25.0));
    let wrong = totals::of_tags(house, &tags, &threes).await?;
    report.rows.push(
        Row::new(
            6,
            "totals of tags, and of three together, that are not what SQL counts",
            "",
            wrong.len() as f64,
        )
        .at_most(0.0)
        .note(wrong.join(", ")),
    );
    Ok(())
}

/// A part of goal 6: characters' own pages.
async fn shown(house: &House, report: &mut Report) -> Result<()> {
    let p99 = |read: &Taken| read.percentile(99.0);
    let own = read(house, characters(house).await?).await?;
    report.rows.push(
        Row::new(6, "CPU per page of a character", "ms", sum(&own.parts) / 1000.0)
            .at_most(0.4)
            .cpu(&own.parts)
            .note(format!("{:.0} pages per second", own.most.rate())),
    );
    report.rows.push(
        Row::new(
            6,
            format!("page of a character, {SHOWN} of them, 8 connections, p99"),
            "ms",
            p99(&own.most),
        )
        .at_most(10.0)
        .note(format!(
            "p50 {:.2} ms; at {RATE:.0}/s, p99 {:.2} ms",
            own.most.percentile(50.0),
            p99(&own.steady)
        )),
    );
    report.rows.push(Row::new(6, "the largest page of a character", "kB", own.heaviest).at_most(25.0));
    Ok(())
}

/// A part of goal 7: pages far behind the first.
async fn deep(house: &House, report: &mut Report) -> Result<()> {
    let last = listed(house)? / PAGE;
    let one = |page: u32| {
        let search = |query: String| format!("{}/api/search?{query}", house.direct);
        let work = rotating(house, SORTS.iter().map(|s| search(format!("sort={s}&page={page}"))).collect());
        async move { closed(1, house.lasts() / 2, work).await.sound("one page again and again") }
    };
    let first = one(1).await?.percentile(50.0);
    for (page, limit) in [(500, 2.0), (DEEP, 3.0)] {
        if page > last {
            report.rows.push(Row::new(7, format!("page {page}: there are only {last}"), "ms", 0.0));
            continue;
        }
        let deep = one(page).await?.percentile(50.0);
        report.rows.push(
            Row::new(7, format!("page {page}, p50"), "ms", deep)
                .beside("ms page 1", first)
                .at_most(limit)
                .of_ratio(),
        );
    }
    Ok(())
}

/// Pages of characters that everybody may see, evenly from the first to the last.
async fn characters(house: &House) -> Result<Vec<String>> {
    let db = PgPool::connect(&house.database("catalog")?).await?;
    let ids: Vec<uuid::Uuid> = sqlx::query_scalar(
        "select character_id from (select character_id, row_number() over (order by ord) as place, count(*) over () as shown
                                   from listing where listed and not nsfw) ranked
         where place % greatest(shown / $1, 1) = 0 order by place limit $1",
    )
    .bind(i64::try_from(SHOWN)?)
    .fetch_all(&db)
    .await?;
    ensure!(!ids.is_empty(), "no character");
    Ok(ids.iter().map(|id| format!("{}/api/character/{id}", house.direct)).collect())
}

/// Twenty rows of characters by their ids, straight from PostgreSQL: p50 in milliseconds.
async fn hydration(house: &House) -> Result<f64> {
    let db = PgPool::connect(&house.database("catalog")?).await?;
    let mut times = Histogram::<u64>::new(3)?;
    for offset in 0..200_i64 {
        let ids: Vec<uuid::Uuid> =
            sqlx::query_scalar("select character_id from listing where ord > $1 order by ord limit 20")
                .bind(offset * 7)
                .fetch_all(&db)
                .await?;
        let began = Instant::now();
        sqlx::query("select * from character where id = any($1)").bind(&ids).fetch_all(&db).await?;
        times.record(u64::try_from(began.elapsed().as_micros())?)?;
    }
    Ok(times.value_at_percentile(50.0) as f64 / 1000.0)
}

/// Goal 8.
///
/// # Errors
/// When something fails that should not.
pub async fn search(house: &House, report: &mut Report) -> Result<()> {
    let unheard = terms(house, NEW_WORDS).await?;
    let terms = terms(house, TERMS).await?;
    let of = |term: &str| format!("{}/api/search?keywords={term}&sort=mostLiked", house.direct);
    let wrong = totals::of_words(house, &terms).await?;
    let work = rotating(house, terms.iter().map(|term| of(term)).collect());
    closed(2, house.warm(), work.clone()).await.sound("searches, warming up")?;
    let meter = Meter::begin(house.services())?;
    let taken = closed(CONNECTIONS, house.lasts(), work.clone()).await.sound("searches")?;
    let parts = meter.per(taken.count())?;
    report.rows.push(
        Row::new(
            8,
            format!("search, {} rotating terms, 8 connections, p99", terms.len()),
            "ms",
            taken.percentile(99.0),
        )
        .at_most(25.0)
        .cpu(&parts)
        .note(format!(
            "p50 {:.2} ms, {:.0}/s; what was found is remembered for half a minute",
            taken.percentile(50.0),
            taken.rate()
        )),
    );
    let steady = open(SEARCH_RATE, house.lasts(), work).await.sound("searches at a fixed rate")?;
    let what = format!("the same at {SEARCH_RATE:.0}/s, p99");
    report.rows.push(Row::new(8, what, "ms", steady.percentile(99.0)));
    // What was found is remembered for a moment, which those who search for a word first have nothing of.
    let unheard = unheard.iter().filter(|word| !terms.contains(word)).enumerate();
    let unheard = unheard.map(|(n, word)| if n % 4 == 3 { of(&slipped(word)) } else { of(word) }).collect();
    let first = open(SEARCH_RATE, house.lasts(), rotating(house, unheard)).await.sound("words, once each")?;
    let what = format!(
        "words that nobody has searched for yet, every fourth with a slip, at {SEARCH_RATE:.0}/s, p99"
    );
    report.rows.push(
        Row::new(8, what, "ms", first.percentile(99.0)).note(format!("p50 {:.2} ms", first.percentile(50.0))),
    );
    let what = "terms whose total is not what SQL counts, or capped though it is not above 1,000";
    report.rows.push(Row::new(8, what, "of 40", wrong.len() as f64).at_most(0.0).note(wrong.join(", ")));
    Ok(())
}

/// With the last two letters exchanged.
fn slipped(word: &str) -> String {
    let (begin, end) = word.split_at(word.len() - 2);
    [begin, &end.chars().rev().collect::<String>()].concat()
}

/// Words of the data: the commonest, and others down to the rarest.
async fn terms(house: &House, wanted: usize) -> Result<Vec<String>> {
    let db = PgPool::connect(&house.database("catalog")?).await?;
    let began = Instant::now();
    loop {
        let words: Vec<String> = sqlx::query_scalar(
            "select word from (select word, df, row_number() over (order by df desc, word) as place,
                                      count(*) over () as words
                               from vocabulary where word ~ '^[a-z]{3,}$') ranked
             where place = 1 or place % greatest(words / $1, 1) = 0 order by df desc limit $1",
        )
        .bind(i64::try_from(wanted)?)
        .fetch_all(&db)
        .await?;
        // Those of the first cast alone are not enough: a card has more than one word.
        let whole = "select (select sum(df) from vocabulary) > (select count(*) from listing)";
        let whole: Option<bool> = sqlx::query_scalar(whole).fetch_one(&db).await?;
        if words.len() == wanted && whole == Some(true) {
            return Ok(words);
        }
        ensure!(began.elapsed() < LEARNT_WITHIN, "the vocabulary holds {} words", words.len());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
