//! What decisions do to characters and reviews, and how it is undone.

use kit::db::Transaction;
use serde_json::Value;
use uuid::Uuid;

use crate::{characters::store as characters, error::Result, events};

/// Puts characters into a state, remembering the one before all reports.
pub async fn put(tx: &mut Transaction, report: Uuid, ids: &[Uuid], state: &str) -> Result<()> {
    for id in ids {
        let Some(now) = held(tx, *id).await? else { continue };
        let base = sqlx::query_scalar!(
            "insert into report_effect (report_id, character_id, state, base_state)
             values ($1, $2, $3, coalesce((select base_state from report_effect where character_id = $2 limit 1), $4))
             on conflict (character_id, report_id) do update set state = excluded.state returning base_state",
            report,
            id,
            state,
            now
        )
        .fetch_one(&mut **tx)
        .await?;
        settle(tx, *id, &base).await?;
    }
    Ok(())
}

/// Undoes what this report did; what other reports did holds.
pub async fn undo(tx: &mut Transaction, report: Uuid) -> Result<()> {
    let mine = sqlx::query_scalar!(
        "select character_id from report_effect where report_id = $1 order by character_id",
        report
    )
    .fetch_all(&mut **tx)
    .await?;
    for id in mine {
        held(tx, id).await?;
        let base = sqlx::query_scalar!(
            "delete from report_effect where report_id = $1 and character_id = $2 returning base_state",
            report,
            id
        )
        .fetch_optional(&mut **tx)
        .await?;
        if let Some(base) = base {
            settle(tx, id, &base).await?;
        }
    }
    Ok(())
}

/// Undoes what all reports did to these characters.
pub async fn restore(tx: &mut Transaction, ids: &[Uuid]) -> Result<()> {
    for id in ids {
        held(tx, *id).await?;
        let bases =
            sqlx::query_scalar!("delete from report_effect where character_id = $1 returning base_state", id)
                .fetch_all(&mut **tx)
                .await?;
        if let Some(base) = bases.first() {
            settle(tx, *id, base).await?;
        }
    }
    Ok(())
}

/// Takes a review away and gives it as it was; `None` when its writer was quicker.
pub async fn remove_review(tx: &mut Transaction, id: Uuid) -> Result<Option<Value>> {
    let Some(character) = sqlx::query_scalar!("select character_id from review where id = $1", id)
        .fetch_optional(&mut **tx)
        .await?
    else {
        return Ok(None);
    };
    // Counts first, as whoever writes a review does.
    hold_counts(tx, character).await?;
    let gone = sqlx::query!(
        r#"delete from review where id = $1 returning rating, to_jsonb(review) as "whole!""#,
        id
    )
    .fetch_optional(&mut **tx)
    .await?;
    let Some(gone) = gone else { return Ok(None) };
    count_up(tx, character, -1, -i64::from(gone.rating)).await?;
    Ok(Some(gone.whole))
}

/// Puts a removed review back, unless its writer has written another, or it was forgotten.
pub async fn return_review(tx: &mut Transaction, review: &Value) -> Result<()> {
    let character = review["character_id"].as_str().and_then(|text| Uuid::try_parse(text).ok());
    let (Some(character), Some(rating), true) =
        (character, review["rating"].as_i64(), review["comment"].is_string())
    else {
        return Ok(());
    };
    if !hold_counts(tx, character).await? {
        return Ok(());
    }
    let back = sqlx::query!(
        "insert into review (id, character_id, user_id, rating, comment, created_at, updated_at)
         select id, character_id, user_id, rating, comment, created_at, updated_at
         from jsonb_populate_record(null::review, $1) on conflict do nothing",
        review
    )
    .execute(&mut **tx)
    .await?;
    if back.rows_affected() == 1 {
        count_up(tx, character, 1, rating).await?;
    }
    Ok(())
}

/// The state beneath all reports has changed.
pub async fn rebase(tx: &mut Transaction, id: Uuid, base: &str) -> Result<()> {
    held(tx, id).await?;
    sqlx::query!("update report_effect set base_state = $2 where character_id = $1", id, base)
        .execute(&mut **tx)
        .await?;
    settle(tx, id, base).await
}

/// Locks a character and gives its state; one after the other, so that no decision overwrites another. Not its
/// key, which whoever reacts or reviews refers to while they hold the counts that are locked next.
async fn held(tx: &mut Transaction, id: Uuid) -> Result<Option<String>> {
    Ok(sqlx::query_scalar!("select state from character where id = $1 for no key update", id)
        .fetch_optional(&mut **tx)
        .await?)
}

/// The gravest of what reports ask for and what there was before all of them.
async fn settle(tx: &mut Transaction, id: Uuid, base: &str) -> Result<()> {
    let changed = sqlx::query!(
        "with asked as (
             select state from (select state from report_effect where character_id = $1
                                union all select $2::text) as every(state)
             order by array_position(array['removed', 'quarantined', 'pending', 'limited', 'live'], state) limit 1)
         update character set state = asked.state, version = version + 1, updated_at = now()
         from asked where id = $1 and character.state <> asked.state",
        id,
        base
    )
    .execute(&mut **tx)
    .await?;
    if changed.rows_affected() == 1 {
        characters::relist(tx, id, false).await?;
        events::character_changed(tx, id).await?;
    }
    Ok(())
}

/// Locks the counts of a character, as whoever writes a review does; false when there is no such character.
async fn hold_counts(tx: &mut Transaction, character: Uuid) -> Result<bool> {
    let held = sqlx::query_scalar!(
        "select character_id from character_stats where character_id = $1 for update",
        character
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(held.is_some())
}

async fn count_up(tx: &mut Transaction, character: Uuid, reviews: i64, rating: i64) -> Result<()> {
    sqlx::query!(
        "update character_stats set reviews = reviews + $2, rating_sum = rating_sum + $3 where character_id = $1",
        character,
        reviews,
        rating
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Whether this report holds anything back.
pub async fn any(tx: &mut Transaction, report: Uuid) -> Result<bool> {
    Ok(sqlx::query_scalar!(
        r#"select exists(select 1 from report_effect where report_id = $1) as "any!""#,
        report
    )
    .fetch_one(&mut **tx)
    .await?)
}
