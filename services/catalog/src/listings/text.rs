//! Search by words: in names, tags, the creator's name and descriptions. PostgreSQL finds the matches, the
//! listing index ranks them. Typing errors are measured against the words that cards have, and only when
//! the words as typed find few.

use std::collections::HashSet;

use kit::{db::Db, shutdown::Shutdown};
use sqlx::PgExecutor;

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

/// Ords of what matches all words, one more than is looked at when there are too many.
pub async fn search(db: &Db, words: Vec<String>) -> Result<Found> {
    if words.is_empty() {
        return Ok(Found::default());
    }
    let mut found = Found { ords: matches(db, &words).await?, by: Vec::new() };
    if found.ords.len() < limits::FEW_MATCHES {
        let meant = nearest(db, &words).await?;
        if meant != words {
            found.ords.extend(matches(db, &meant).await?);
            found.ords.sort_unstable();
            found.ords.dedup();
            found.by.push(meant);
        }
    }
    found.by.push(words);
    Ok(found)
}

impl Found {
    /// Leaves out those of `locked` that were found by their description alone: a text that is withheld
    /// must not be guessed word by word.
    pub async fn withhold(&mut self, db: &Db, locked: &[i32]) -> Result<()> {
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

/// Every word matches as a beginning too: people see results while they type.
async fn matches(db: impl PgExecutor<'_>, words: &[String]) -> Result<Vec<i32>> {
    let beginnings: Vec<String> = words.iter().map(|word| format!("{word}:*")).collect();
    let limit = i64::try_from(limits::MATCHES_MAX + 1).unwrap_or(i64::MAX);
    // Materialised, or the planner walks a sort index by a wrong guess (26 ms against 3). One array: to read thousands of
    // rows was most of what a search cost here.
    Ok(sqlx::query_scalar!(
        r#"with found as materialized (
               select ord from search_text
               where tsv @@ to_tsquery('simple', $1) or tsv @@ plainto_tsquery('english', $2) limit $3)
           select coalesce(array_agg(ord), '{}') as "ords!" from found"#,
        beginnings.join(" & "),
        words.join(" "),
        limit
    )
    .fetch_one(db)
    .await?)
}

/// Each word, or the known word most like it.
async fn nearest(db: &Db, words: &[String]) -> Result<Vec<String>> {
    let mut meant = Vec::with_capacity(words.len());
    // One by one: only then is what is compared a constant, for which the planner finds the indexes.
    for word in words {
        let known = word.chars().count() < limits::FORGIVEN_MIN || is_known(db, word).await?;
        let like = if known { None } else { most_like(db, word).await? };
        meant.push(like.unwrap_or_else(|| word.clone()));
    }
    Ok(meant)
}

/// Whether the word finds anything by itself.
async fn is_known(db: impl PgExecutor<'_>, word: &str) -> Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"select exists(select 1 from search_text where tsv @@ to_tsquery('simple', $1))
               or exists(select 1 from search_text where tsv @@ plainto_tsquery('english', $2)) as "known!""#,
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

/// Learns the words of all cards anew; one process at a time is enough.
pub async fn learn(db: &Db) -> Result<()> {
    let mut tx = db.begin().await?;
    let mine = sqlx::query_scalar!(
        r#"select pg_try_advisory_xact_lock(hashtextextended('catalog.vocabulary', 0)) as "mine!""#
    )
    .fetch_one(&mut *tx)
    .await?;
    if mine {
        sqlx::query!("select learn_words() as done").fetch_one(&mut *tx).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// Learns every hour, until shutdown.
pub async fn keep_learning(db: Db, shutdown: Shutdown) {
    loop {
        if let Err(error) = learn(&db).await {
            tracing::warn!(%error, "words not learnt");
        }
        tokio::select! { () = tokio::time::sleep(limits::LEARN) => {}, () = shutdown.wait() => return }
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
    fn only_words_reach_the_query() {
        assert_eq!(words("  Light-house & 'keeper':* | ! "), ["light", "house", "keeper"]);
        assert!(words("!!! :*").is_empty());
    }
}
