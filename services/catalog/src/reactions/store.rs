use kit::db::Transaction;
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::error::{Error, Result};

/// Counts of a character as they are shown.
pub struct Counts {
    pub likes: i64,
    pub dislikes: i64,
    pub follows: i64,
}

/// Locks the counts, so that reactions to one character come one after the other.
async fn lock(tx: &mut Transaction, id: Uuid) -> Result<()> {
    sqlx::query_scalar!("select character_id from character_stats where character_id = $1 for update", id)
        .fetch_optional(&mut **tx)
        .await?
        .ok_or(Error::CharacterNotFound)?;
    Ok(())
}

/// Sets the reaction, or clears it when it is the same; answers what stands now.
pub async fn react(tx: &mut Transaction, id: Uuid, user: Uuid, kind: &str) -> Result<Option<String>> {
    lock(tx, id).await?;
    let before = sqlx::query_scalar!(
        "delete from reaction where character_id = $1 and user_id = $2 returning kind",
        id,
        user
    )
    .fetch_optional(&mut **tx)
    .await?;
    let after = (before.as_deref() != Some(kind)).then(|| kind.to_owned());
    if after.is_some() {
        sqlx::query!(
            "insert into reaction (character_id, user_id, kind) values ($1, $2, $3)",
            id,
            user,
            kind
        )
        .execute(&mut **tx)
        .await?;
    }
    let change = |which: &str| {
        i64::from(after.as_deref() == Some(which)) - i64::from(before.as_deref() == Some(which))
    };
    sqlx::query!(
        "update character_stats set likes = likes + $2, dislikes = dislikes + $3 where character_id = $1",
        id,
        change("like"),
        change("dislike")
    )
    .execute(&mut **tx)
    .await?;
    Ok(after)
}

/// Follows, or no longer; answers whether it is on now.
pub async fn toggle_follow(tx: &mut Transaction, id: Uuid, user: Uuid) -> Result<bool> {
    lock(tx, id).await?;
    let gone =
        sqlx::query!("delete from character_follow where character_id = $1 and user_id = $2", id, user)
            .execute(&mut **tx)
            .await?
            .rows_affected();
    if gone == 0 {
        sqlx::query!("insert into character_follow (character_id, user_id) values ($1, $2)", id, user)
            .execute(&mut **tx)
            .await?;
    }
    let change: i64 = if gone == 0 { 1 } else { -1 };
    sqlx::query!("update character_stats set follows = follows + $2 where character_id = $1", id, change)
        .execute(&mut **tx)
        .await?;
    Ok(gone == 0)
}

pub async fn counts(db: impl PgExecutor<'_>, id: Uuid) -> Result<Counts> {
    let counts = sqlx::query_as!(
        Counts,
        r#"select likes + seeded_likes as "likes!", dislikes + seeded_dislikes as "dislikes!",
                  follows + seeded_follows as "follows!" from character_stats where character_id = $1"#,
        id
    )
    .fetch_one(db)
    .await?;
    Ok(counts)
}
