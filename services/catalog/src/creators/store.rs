use kit::db::Transaction;
use sqlx::PgExecutor;
use uuid::Uuid;

use super::Figures;
use crate::{characters::store as characters, error::Result, events};

/// Figures of everybody who has a listed character. What is seeded counts, as everywhere.
pub async fn figures(db: impl PgExecutor<'_>) -> Result<Vec<Figures>> {
    let figures = sqlx::query_as!(
        Figures,
        r#"with cast_of as (
               select l.creator_id, l.trend, l.likes, l.chats, s.messages + s.seeded_messages as messages,
                      max(l.trend) over (partition by l.creator_id) as top
               from listing l join character_stats s using (character_id) where l.listed),
           summed as (
               -- The log of a sum, kept near the greatest so that it neither over- nor underflows.
               select creator_id, count(*) as characters, sum(likes)::bigint as likes, sum(chats)::bigint as chats,
                      sum(messages)::bigint as messages, max(top) + ln(sum(exp(greatest(trend - top, -500)))) as trend
               from cast_of group by creator_id),
           fans as (select followee, count(*) as followers from creator_follow where is_on group by followee)
           select m.creator_id as "id!", coalesce(k.username, '') as "username!",
                  coalesce(k.avatar_asset, '') as "avatar_asset!",
                  exists(select 1 from entitlement e
                         where e.user_id = m.creator_id and e.plan <> 'free' and e.until > now()) as "badge!",
                  coalesce(f.followers, 0) + coalesce(k.seeded_followers, 0) as "followers!",
                  m.characters as "characters!", m.chats as "chats!", m.messages as "messages!", m.likes as "likes!",
                  m.trend as "trend!"
           from summed m left join creator k on k.user_id = m.creator_id left join fans f on f.followee = m.creator_id"#
    )
    .fetch_all(db)
    .await?;
    Ok(figures)
}

/// Takes a creator's characters out of sight of everybody else, or gives them back. What is older than
/// what is known changes nothing.
pub async fn suspend(tx: &mut Transaction, creator: Uuid, suspended: bool, version: i64) -> Result<()> {
    let told = sqlx::query!(
        "insert into creator (user_id, username, suspended, suspended_version) values ($1, '', $2, $3)
         on conflict (user_id) do update
             set suspended = excluded.suspended, suspended_version = excluded.suspended_version
             where creator.suspended_version < excluded.suspended_version",
        creator,
        suspended,
        version
    )
    .execute(&mut **tx)
    .await?;
    if told.rows_affected() == 0 {
        return Ok(());
    }
    let theirs = sqlx::query_scalar!(
        "update character set version = version + 1 where owner = $1 and state <> 'removed' returning id",
        creator
    )
    .fetch_all(&mut **tx)
    .await?;
    for id in sorted(theirs) {
        characters::relist(tx, id, false).await?;
        events::character_changed(tx, id).await?;
    }
    Ok(())
}

/// In one order everywhere, so that two transactions never wait for each other.
fn sorted(mut ids: Vec<Uuid>) -> Vec<Uuid> {
    ids.sort_unstable();
    ids
}
