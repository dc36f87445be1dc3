use kit::{db::Transaction, outbox};
use proto::events::v1::{ErasureDone, UserErased};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::{ANONYMOUS, anonymous};
use crate::{
    characters::{deletion, store as characters},
    error::Result,
    events,
    reports::store as reports,
};

/// Erases all that is stored about a user, with their part of the counts, and says so. Characters are
/// handed to the anonymous owner when the user lets them stay and everybody sees them; else they go: those of a
/// suspended creator as well, or an erasure would bring them back.
pub async fn erase(tx: &mut Transaction, told: &UserErased) -> anyhow::Result<()> {
    let user = Uuid::try_parse(&told.user_id)?;
    sqlx::query!("insert into erased (user_id) values ($1) on conflict do nothing", user)
        .execute(&mut **tx)
        .await?;
    // Without one that can be read, another that is tied to nothing does as well.
    let pseudonym = Uuid::try_parse(&told.pseudonym).unwrap_or_else(|_| Uuid::new_v4());
    reports::forget(tx, user, pseudonym).await?;
    deeds(tx, user).await?;
    stands(tx, user).await?;
    cast_of(tx, user, told.characters == "anonymise").await?;
    sqlx::query!("delete from creator where user_id = $1", user).execute(&mut **tx).await?;
    let done = ErasureDone { user_id: told.user_id.clone() };
    outbox::enqueue(&mut **tx, "catalog.user.erased", &done).await?;
    Ok(())
}

/// Reactions, follows and reviews, with the counts they are part of.
async fn deeds(tx: &mut Transaction, user: Uuid) -> Result<()> {
    // Locked in one order, as everywhere, before anything changes.
    let touched = sqlx::query_scalar!(
        "select character_id from character_stats where character_id in (
             select character_id from reaction where user_id = $1
             union select character_id from character_follow where user_id = $1
             union select character_id from review where user_id = $1)
         order by character_id for update",
        user
    )
    .fetch_all(&mut **tx)
    .await?;
    sqlx::query!(
        "with gone as (delete from reaction where user_id = $1 returning character_id, kind)
         update character_stats s set likes = likes - (gone.kind = 'like')::int,
             dislikes = dislikes - (gone.kind = 'dislike')::int
         from gone where s.character_id = gone.character_id",
        user
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "with gone as (delete from character_follow where user_id = $1 returning character_id)
         update character_stats s set follows = follows - 1 from gone where s.character_id = gone.character_id",
        user
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!(
        "with gone as (delete from review where user_id = $1 returning character_id, rating)
         update character_stats s set reviews = reviews - 1, rating_sum = rating_sum - gone.rating
         from gone where s.character_id = gone.character_id",
        user
    )
    .execute(&mut **tx)
    .await?;
    for id in touched {
        characters::relist(tx, id, false).await?;
    }
    Ok(())
}

/// Where they stood: blocks (theirs, and of them), age, follows of creators, plan, answers kept for keys.
async fn stands(tx: &mut Transaction, user: Uuid) -> Result<()> {
    sqlx::query!(
        "delete from block where user_id = $1 or kind = 'creator' and target = $2",
        user,
        user.to_string()
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!("delete from viewer where user_id = $1", user).execute(&mut **tx).await?;
    sqlx::query!("delete from creator_follow where follower = $1 or followee = $1", user)
        .execute(&mut **tx)
        .await?;
    sqlx::query!("delete from entitlement where user_id = $1", user).execute(&mut **tx).await?;
    sqlx::query!("delete from idempotency where owner = $1", user).execute(&mut **tx).await?;
    Ok(())
}

async fn cast_of(tx: &mut Transaction, user: Uuid, stay: bool) -> Result<()> {
    let theirs = sqlx::query!(
        r#"select id, public and deleted_at is null and state in ('live', 'limited')
                      and not exists (select 1 from creator k where k.user_id = owner and k.suspended) as "open!"
           from character where owner = $1 order by id for update"#,
        user
    )
    .fetch_all(&mut **tx)
    .await?;
    if stay && theirs.iter().any(|c| c.open) {
        characters::know_creator(&mut **tx, anonymous(), ANONYMOUS).await?;
    }
    for character in theirs {
        if stay && character.open {
            sqlx::query!(
                "update character set owner = $2, version = version + 1 where id = $1",
                character.id,
                anonymous()
            )
            .execute(&mut **tx)
            .await?;
            // The card as it came in may name who wrote it; the character itself does not.
            sqlx::query!("delete from card where character_id = $1", character.id).execute(&mut **tx).await?;
            characters::relist(tx, character.id, true).await?;
            events::character_changed(tx, character.id).await?;
        } else {
            deletion::erase(tx, character.id).await?;
        }
    }
    Ok(())
}

/// Whether a user is erased: what was told of them before and comes late is not taken in.
pub async fn is_erased(db: impl PgExecutor<'_>, user: Uuid) -> Result<bool> {
    Ok(sqlx::query_scalar!(r#"select exists(select 1 from erased where user_id = $1) as "is!""#, user)
        .fetch_one(db)
        .await?)
}

/// Forgets who was erased, once nothing told before can come late.
pub async fn sweep(db: impl PgExecutor<'_>) -> Result<()> {
    sqlx::query!("delete from erased where at < now() - interval '7 days'").execute(db).await?;
    Ok(())
}
