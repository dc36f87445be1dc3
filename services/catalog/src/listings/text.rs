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

/// Each word, or the known word most like it: among those about as like, the one that more cards have.
/// Beginnings are ranges, since `like` with what is not a constant walks all words.
async fn nearest(db: impl PgExecutor<'_>, words: &[String]) -> Result<Vec<String>> {
    let meant = sqlx::query_scalar!(
        r#"select coalesce(
               (select typed.word where length(typed.word) < $2 or exists (
                    select 1 from vocabulary v,
                        unnest(typed.word || tsvector_to_array(to_tsvector('english', typed.word))) as form(word)
                    where v.word ~>=~ form.word and v.word ~<~ (form.word || chr(1114111)))),
               (select near.word from (
                    select v.word, v.df, similarity(v.word, typed.word) as alike,
                           levenshtein(v.word, typed.word) as slips
                    from vocabulary v
                    -- Two letters exchanged leave few trigrams alike: then the beginning tells.
                    where v.word % typed.word
                        or v.word ~>=~ left(typed.word, 2) and v.word ~<~ (left(typed.word, 2) || chr(1114111))) near
                where near.alike >= $3 or near.slips <= case when length(typed.word) > $2 then 2 else 1 end
                order by round(greatest(near.alike, 1 - near.slips / length(typed.word)::real)::numeric, 1) desc,
                         near.df desc, near.word
                limit 1),
               typed.word) as "word!"
           from unnest($1::text[]) with ordinality as typed(word, n) order by typed.n"#,
        words,
        limits::FORGIVEN_MIN,
        limits::ALIKE
    )
    .fetch_all(db)
    .await?;
    Ok(meant)
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
