use kit::db::Db;
use sqlx::PgExecutor;
use uuid::Uuid;

use super::Persona;
use crate::error::Result;

/// All of a user's, in the order they were saved.
pub async fn list(db: impl PgExecutor<'_>, user: Uuid) -> Result<Vec<Persona>> {
    let personas = sqlx::query_as!(
        Persona,
        "select id, name, description, gender, is_default from persona where user_id = $1 order by position",
        user
    )
    .fetch_all(db)
    .await?;
    Ok(personas)
}

/// One of a user's, or their default.
pub async fn find(db: impl PgExecutor<'_>, user: Uuid, id: Option<&str>) -> Result<Option<Persona>> {
    let persona = sqlx::query_as!(
        Persona,
        "select id, name, description, gender, is_default from persona
         where user_id = $1 and (id = $2 or ($2 is null and is_default))",
        user,
        id
    )
    .fetch_optional(db)
    .await?;
    Ok(persona)
}

/// Replaces all of a user's, in one transaction.
pub async fn replace(db: &Db, user: Uuid, personas: &[Persona]) -> Result<()> {
    let mut tx = db.begin().await?;
    // Two lists at once: the later one is whole.
    sqlx::query!("select 1 as one from account where id = $1 for update", user)
        .fetch_optional(&mut *tx)
        .await?;
    sqlx::query!("delete from persona where user_id = $1", user).execute(&mut *tx).await?;
    for (position, p) in (0i32..).zip(personas) {
        sqlx::query!(
            "insert into persona (user_id, id, position, name, description, gender, is_default)
             values ($1, $2, $3, $4, $5, $6, $7)",
            user,
            p.id,
            position,
            p.name,
            p.description,
            p.gender,
            p.is_default
        )
        .execute(&mut *tx)
        .await?;
    }
    tx.commit().await?;
    Ok(())
}
