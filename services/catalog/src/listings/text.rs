//! Search by words: in names, tags, the creator's name and descriptions. PostgreSQL finds the matches, the
//! listing index ranks them. Typing errors are measured against the words that cards have, and only when
//! the words as typed find few.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use kit::{db::Db, page::Page, shutdown::Shutdown};
use proto::common::v1::PageInfo;
use sqlx::PgExecutor;
use tokio::sync::watch;

use crate::{error::Result, limits};

/// What was typed, as words.
pub fn words(keywords: &str) -> Vec<String> {
    keywords
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(limits::WORDS_MAX)
        .map(str::to_lowercase)
        .collect()
}

/// What was found, and by which words: those that were typed, and those that were meant.
#[derive(Default)]
pub struct Found {
    pub ords: Vec<i32>,
    by: Vec<Vec<String>>,
}

/// The words that more cards have than one search looks at, and how many have them, as they were last learnt. Cheap to
/// clone.
#[derive(Clone)]
pub struct Common {
    above: usize,
    words: watch::Sender<HashMap<String, usize>>,
}

impl Common {
    pub fn above(above: usize) -> Self {
        Self { above, words: watch::Sender::default() }
    }

    pub fn has(&self, word: &str) -> bool {
        self.words.borrow().contains_key(word)
    }

    /// How many cards have the rarest of these words; `None` when one of them is not common, and for no words.
    pub fn fewest(&self, words: &[String]) -> Option<usize> {
        let known = self.words.borrow();
        let counts = words.iter().map(|word| known.get(word).copied());
        counts.collect::<Option<Vec<usize>>>()?.into_iter().min()
    }

    async fn read(&self, db: impl PgExecutor<'_>) -> Result<()> {
        let above = i64::try_from(self.above).unwrap_or(i64::MAX);
        // Whoever searches for one form of a word finds all of them.
        let words = sqlx::query!(
            r#"select word, cards::bigint as "cards!" from (
                 select word, sum(df) over (partition by coalesce((ts_lexize('english_stem', word))[1], word)) as cards
                 from vocabulary) v
             where cards > $1"#,
            above
        )
        .fetch_all(db)
        .await?;
        let counted = words.into_iter().map(|row| (row.word, usize::try_from(row.cards).unwrap_or(0)));
        self.words.send_replace(counted.collect());
        Ok(())
    }
}

/// Says of a page that its total is only as far as anybody counted: one page ahead while there is more (readings, Lists).
pub fn cap(page: Page, info: &mut PageInfo) {
    info.total_capped = true;
    info.total_pages = page.page + u32::from(info.has_more);
}

/// Ords of what matches all words, at most one more than `most`.
pub async fn search(db: &Db, words: Vec<String>, common: &Common, most: usize) -> Result<Found> {
    if words.is_empty() {
        return Ok(Found::default());
    }
    let mut found = Found { ords: matches(db, &words, common, most).await?, by: Vec::new() };
    if found.ords.len() < limits::FEW_MATCHES {
        let meant = nearest(db, &words, common).await?;
        if meant != words {
            found.ords.extend(matches(db, &meant, common, most).await?);
            found.ords.sort_unstable();
            found.ords.dedup();
            found.by.push(meant);
        }
    }
    found.by.push(words);
    Ok(found)
}

impl Found {
    /// Those of these cards that have all the words.
    pub async fn among(db: &Db, words: &[String], ords: &[i32]) -> Result<Self> {
        let found = sqlx::query_scalar!(
            r#"select coalesce(array_agg(ord), '{}') as "ords!" from search_text
               where ord = any($1) and tsv @@ (to_tsquery('simple', $2) || plainto_tsquery('english', $3))"#,
            ords,
            beginnings(words, |_| false),
            words.join(" ")
        )
        .fetch_one(db)
        .await?;
        Ok(Self { ords: found, by: vec![words.to_vec()] })
    }

    /// Leaves out those of `locked` that were found by their description alone: a text that is withheld
    /// must not be guessed word by word.
    pub async fn withhold(&mut self, db: &Db, locked: &[i32]) -> Result<()> {
        if locked.is_empty() {
            return Ok(());
        }
        let mut named: HashSet<i32> = HashSet::new();
        for words in &self.by {
            // Name, tags and the creator's name; the description has the weight C.
            let query: Vec<String> = words.iter().map(|word| format!("{word}:*AB")).collect();
            let ords = sqlx::query_scalar!(
                r#"select coalesce(array_agg(ord), '{}') as "ords!" from search_text
                   where ord = any($1) and tsv @@ to_tsquery('simple', $2)"#,
                locked,
                query.join(" & ")
            )
            .fetch_one(db)
            .await?;
            named.extend(ords);
        }
        let locked: HashSet<i32> = locked.iter().copied().filter(|ord| !named.contains(ord)).collect();
        self.ords.retain(|ord| !locked.contains(ord));
        Ok(())
    }
}

/// Every word matches as a beginning too: people see results while they type. All that begins with a word that very many
/// cards have is a large part of the index, and whoever types on after it has typed it out.
fn beginnings(words: &[String], common: impl Fn(&str) -> bool) -> String {
    let last = words.len().saturating_sub(1);
    let one = |(n, word): (usize, &String)| {
        if n < last && common(word) { word.clone() } else { format!("{word}:*") }
    };
    words.iter().enumerate().map(one).collect::<Vec<String>>().join(" & ")
}

async fn matches(
    db: impl PgExecutor<'_>,
    words: &[String],
    common: &Common,
    most: usize,
) -> Result<Vec<i32>> {
    let limit = i64::try_from(most + 1).unwrap_or(i64::MAX);
    // Materialised, or the planner walks a sort index by a wrong guess (26 ms against 3). One array: to read thousands of
    // rows was most of what a search cost here. One query of both languages: each by itself is planned and looked up alone.
    Ok(sqlx::query_scalar!(
        r#"with found as materialized (
               select ord from search_text
               where tsv @@ (to_tsquery('simple', $1) || plainto_tsquery('english', $2)) limit $3)
           select coalesce(array_agg(ord), '{}') as "ords!" from found"#,
        beginnings(words, |word| common.has(word)),
        words.join(" "),
        limit
    )
    .fetch_one(db)
    .await?)
}

/// Each word, or the known word most like it.
async fn nearest(db: &Db, words: &[String], common: &Common) -> Result<Vec<String>> {
    let mut meant = Vec::with_capacity(words.len());
    // One by one: only then is what is compared a constant, for which the planner finds the indexes.
    for word in words {
        let short = word.chars().count() < limits::FORGIVEN_MIN;
        let known = short || common.has(word) || is_known(db, word).await?;
        let like = if known { None } else { most_like(db, word).await? };
        meant.push(like.unwrap_or_else(|| word.clone()));
    }
    Ok(meant)
}

/// Whether the word finds anything by itself.
async fn is_known(db: impl PgExecutor<'_>, word: &str) -> Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"select exists(
               select 1 from search_text
               where tsv @@ (to_tsquery('simple', $1) || plainto_tsquery('english', $2))) as "known!""#,
        format!("{word}:*"),
        word
    )
    .fetch_one(db)
    .await?)
}

/// The known word most like this; among those about as like, the one that more cards have. Two letters
/// exchanged leave few trigrams alike, so such words are looked for as they are.
async fn most_like(db: impl PgExecutor<'_>, word: &str) -> Result<Option<String>> {
    Ok(sqlx::query_scalar!(
        r#"select near.word as "word!" from (
               select v.word, v.df, similarity(v.word, $1) as alike, levenshtein(v.word, $1) as slips,
                      v.word = any($3) as exchanged
               from vocabulary v
               where v.word % $1 or v.word like left($1, 2) || '%' or v.word = any($3)) near
           where near.exchanged or near.alike >= $2
               or near.slips <= case when length($1) > 4 then 2 else 1 end
           order by near.exchanged desc,
                    round(greatest(near.alike, 1 - near.slips / length($1)::real)::numeric, 1) desc,
                    near.df desc, near.word
           limit 1"#,
        word,
        limits::ALIKE,
        &exchanged(word)
    )
    .fetch_optional(db)
    .await?)
}

/// The word with each pair of neighbours exchanged.
fn exchanged(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    (1..letters.len())
        .map(|at| {
            let mut other = letters.clone();
            other.swap(at - 1, at);
            other.into_iter().collect()
        })
        .collect()
}

/// Learns the words of all cards, unless some were learnt within `fresh`; one process at a time, and the others wait for what it
/// has learnt. Answers for how long that is good.
pub async fn learn(db: &Db, fresh: Duration) -> Result<Duration> {
    let mut tx = db.begin().await?;
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('catalog.vocabulary', 0)) as done")
        .fetch_one(&mut *tx)
        .await?;
    // A lesson at which there were no cards yet is none.
    let good_s = sqlx::query_scalar!(
        r#"select extract(epoch from max(at) + make_interval(secs => $1) - clock_timestamp())::float8
           from words_learnt where exists (select from vocabulary)"#,
        fresh.as_secs_f64()
    )
    .fetch_one(&mut *tx)
    .await?;
    // A clock that was put back makes no lesson good for longer.
    let good = good_s.and_then(|s| Duration::try_from_secs_f64(s).ok()).map(|good| good.min(fresh));
    if let Some(good) = good.filter(|good| !good.is_zero()) {
        return Ok(good);
    }
    sqlx::query!("select learn_words() as done").fetch_one(&mut *tx).await?;
    sqlx::query!("delete from words_learnt").execute(&mut *tx).await?;
    sqlx::query!("insert into words_learnt values (clock_timestamp())").execute(&mut *tx).await?;
    tx.commit().await?;
    Ok(fresh)
}

/// Reads which words are common at once, and learns every hour, until shutdown; first when the listing index is `built`,
/// which everybody waits for and which asks PostgreSQL for as much.
pub async fn keep_learning(db: Db, common: Common, mut built: watch::Receiver<bool>, shutdown: Shutdown) {
    let read = async || {
        if let Err(error) = common.read(&db).await {
            tracing::warn!(%error, "common words not known");
        }
    };
    // What was learnt last, of however long ago: of a word that is not known to be common the first that were written are
    // found, and not the best, for as long as all words are learnt anew.
    read().await;
    tokio::select! { _ = built.wait_for(|built| *built) => {}, () = shutdown.wait() => return }
    loop {
        let good = learn(&db, limits::LEARN).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "words not learnt");
            limits::LEARN
        });
        read().await;
        tokio::select! { () = tokio::time::sleep(good) => {}, () = shutdown.wait() => return }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_exchanged() {
        assert_eq!(exchanged("lnag"), ["nlag", "lang", "lnga"]);
        assert!(exchanged("a").is_empty());
    }

    #[test]
    fn a_common_word_is_no_beginning_once_more_was_typed() {
        let words = ["the", "lamp"].map(str::to_owned);
        assert_eq!(beginnings(&words, |word| word == "the"), "the & lamp:*");
        assert_eq!(beginnings(&words, |_| false), "the:* & lamp:*");
        assert_eq!(beginnings(&words[..1], |_| true), "the:*");
    }

    #[test]
    fn only_words_reach_the_query() {
        assert_eq!(words("  Light-house & 'keeper':* | ! "), ["light", "house", "keeper"]);
        assert!(words("!!! :*").is_empty());
    }
}
