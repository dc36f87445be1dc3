//! Search by words: in names, tags, the creator's name and descriptions. PostgreSQL finds the matches, the
//! listing index ranks them. Typing errors are measured against the words that cards have, and only when
//! the words as typed find few.

use kit::shutdown::Shutdown;
use sqlx::{PgExecutor, PgPool};

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

/// Ords of what matches all words, one more than is looked at when there are too many.
pub async fn search(db: &PgPool, words: &[String]) -> Result<Vec<i32>> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = matches(db, words).await?;
    if found.len() < limits::FEW_MATCHES {
        let meant = nearest(db, words).await?;
        if meant != words {
            found.extend(matches(db, &meant).await?);
            found.sort_unstable();
            found.dedup();
        }
    }
    Ok(found)
}

/// Every word matches as a beginning too: people see results while they type.
async fn matches(db: impl PgExecutor<'_>, words: &[String]) -> Result<Vec<i32>> {
    let beginnings: Vec<String> = words.iter().map(|word| format!("{word}:*")).collect();
    let limit = i64::try_from(limits::MATCHES_MAX + 1).unwrap_or(i64::MAX);
    // Materialised, or the planner walks a sort index by a wrong guess (26 ms against 3).
    let ords = sqlx::query_scalar!(
        "with found as materialized (
             select ord from search_text
             where tsv @@ to_tsquery('simple', $1) or tsv @@ plainto_tsquery('english', $2) limit $3)
         select ord from found",
        beginnings.join(" & "),
        words.join(" "),
        limit
    )
    .fetch_all(db)
    .await?;
    Ok(ords.into_iter().collect())
}

/// Each word, or the known word most like it.
async fn nearest(db: &PgPool, words: &[String]) -> Result<Vec<String>> {
    let mut meant = Vec::with_capacity(words.len());
    // One by one: only then is what is compared a constant, for which the planner finds the indexes.
    for word in words {
        let known = word.chars().count() < limits::FORGIVEN_MIN || is_known(db, word).await?;
        let like = if known { None } else { most_like(db, word).await? };
        meant.push(like.unwrap_or_else(|| word.clone()));
    }
    Ok(meant)
}

/// Whether some word begins like this, as typed or without its ending.
async fn is_known(db: impl PgExecutor<'_>, word: &str) -> Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"select exists(
               select 1 from vocabulary where word like $1 || '%'
                   or word like coalesce((tsvector_to_array(to_tsvector('english', $1)))[1], $1) || '%') as "known!""#,
        word
    )
    .fetch_one(db)
    .await?)
}

/// The known word most like this; among those about as like, the one that more cards have. Two letters
/// exchanged leave few trigrams alike: then the beginning tells.
async fn most_like(db: impl PgExecutor<'_>, word: &str) -> Result<Option<String>> {
    Ok(sqlx::query_scalar!(
        r#"select near.word as "word!" from (
               select v.word, v.df, similarity(v.word, $1) as alike, levenshtein(v.word, $1) as slips
               from vocabulary v where v.word % $1 or v.word like left($1, 2) || '%') near
           where near.alike >= $2 or near.slips <= case when length($1) > 4 then 2 else 1 end
           order by round(greatest(near.alike, 1 - near.slips / length($1)::real)::numeric, 1) desc,
                    near.df desc, near.word
           limit 1"#,
        word,
        limits::ALIKE
    )
    .fetch_optional(db)
    .await?)
}

/// Learns the words of all cards anew; one process at a time is enough.
pub async fn learn(db: &PgPool) -> Result<()> {
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
pub async fn keep_learning(db: PgPool, shutdown: Shutdown) {
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
    fn only_words_reach_the_query() {
        assert_eq!(words("  Light-house & 'keeper':* | ! "), ["light", "house", "keeper"]);
        assert!(words("!!! :*").is_empty());
    }
}
