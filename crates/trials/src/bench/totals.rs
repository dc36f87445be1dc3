//! Whether the totals that lists and searches tell are what PostgreSQL counts: exact up to a number, then capped, and said so.

use std::collections::HashMap;

use anyhow::{Context as _, Result};
use serde_json::Value;
use sqlx::PgPool;

use super::{House, lists::fetch};

/// Totals are exact up to here, or so far that it makes no difference.
const EXACT: i64 = 1_000;
/// What is counted to see whether a total is exact: more than any that is not capped.
const COUNTED: i64 = 10_000;
/// The tag whose list is of the cards that are marked so, whatever their tags.
const NSFW: &str = "nsfw";

/// A total as a page tells it.
struct Told {
    total: i64,
    capped: bool,
}

impl Told {
    /// Of the page to which this question leads.
    async fn by(house: &House, query: &str) -> Result<Self> {
        let page = fetch(&house.http, &format!("{}/api/search?{query}", house.direct)).await?;
        let page: Value = serde_json::from_slice(&page)?;
        let total = page["total"].as_i64().context("a total")?;
        Ok(Self { total, capped: page["totalCapped"].as_bool().unwrap_or(false) })
    }

    /// What is wrong with it, when there are so many, or [`COUNTED`] of more.
    fn wrong(&self, what: &str, counted: i64) -> Option<String> {
        let right = if self.capped {
            counted > EXACT && (EXACT..=counted).contains(&self.total)
        } else {
            counted == self.total.min(COUNTED)
        };
        let capped = if self.capped { ", capped" } else { "" };
        (!right).then(|| format!("{what}: {}{capped} instead of {counted}", self.total))
    }
}

/// Words whose totals are wrong, as somebody without an account is told them.
///
/// # Errors
/// When something fails that should not.
pub async fn of_words(house: &House, words: &[String]) -> Result<Vec<String>> {
    let db = PgPool::connect(&house.database("catalog")?).await?;
    let mut wrong = Vec::new();
    for word in words {
        let told = Told::by(house, &format!("keywords={word}&sort=mostLiked")).await?;
        // A word is found as a beginning and in all of its forms, and of what is marked as NSFW not by its text alone.
        let counted: i64 = sqlx::query_scalar(
            "select count(*) from (
                 select from search_text s join listing l using (ord)
                 where l.listed and s.tsv @@ (to_tsquery('simple', $1 || ':*') || plainto_tsquery('english', $1))
                   and (not l.nsfw or s.tsv @@ to_tsquery('simple', $1 || ':*AB'))
                 limit $2) found",
        )
        .bind(word)
        .bind(COUNTED)
        .fetch_one(&db)
        .await?;
        wrong.extend(told.wrong(word, counted));
    }
    Ok(wrong)
}

/// Lists of one tag and of three whose totals are wrong.
///
/// # Errors
/// When something fails that should not.
pub async fn of_tags(house: &House, tags: &[String], threes: &[[&str; 3]]) -> Result<Vec<String>> {
    let db = PgPool::connect(&house.database("catalog")?).await?;
    let of_each: Vec<(String, i64)> = sqlx::query_as(
        "select tag.slug, count(*) from listing cross join unnest(tag_ids) tagged(id) join tag using (id)
         where listed and tag.slug <> $1 group by tag.slug
         union all select $1, count(*) from listing where listed and nsfw",
    )
    .bind(NSFW)
    .fetch_all(&db)
    .await?;
    let of_each: HashMap<String, i64> = of_each.into_iter().collect();
    let mut wrong = Vec::new();
    for tag in tags {
        let told = Told::by(house, &format!("tags={tag}")).await?;
        wrong.extend(told.wrong(tag, of_each.get(tag).copied().unwrap_or(0).min(COUNTED)));
    }
    for three in threes {
        let told = Told::by(house, &format!("tags={}", three.join(","))).await?;
        let slugs: Vec<&str> = three.iter().copied().filter(|tag| *tag != NSFW).collect();
        let counted: i64 = sqlx::query_scalar(
            "select count(*) from (
                 select from listing
                 where listed and (nsfw or not $2) and tag_ids @> array(select id from tag where slug = any($1))
                 limit $3) found",
        )
        .bind(&slugs)
        .bind(slugs.len() < three.len())
        .bind(COUNTED)
        .fetch_one(&db)
        .await?;
        wrong.extend(told.wrong(&three.join(", "), counted));
    }
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_total_is_exact_or_says_that_it_is_capped() {
        let wrong = |total, capped, counted| Told { total, capped }.wrong("it", counted).is_some();
        assert!(!wrong(7, false, 7) && wrong(7, false, 8), "exact");
        assert!(!wrong(5_000, true, 5_001) && wrong(1_000, true, 1_000), "capped only above a thousand");
        assert!(
            wrong(3, true, 5_000) && wrong(6_000, true, 5_000),
            "and not below it, nor above what there is"
        );
        assert!(!wrong(80_000, false, COUNTED), "as far as it is counted");
        assert!(wrong(9_999, false, COUNTED));
    }
}
