use kit::db::Transaction;
use proto::catalog::v1::{Block, BlockKind};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::Blocks;
use crate::{
    error::{Error, Result},
    limits,
};

pub async fn of(db: impl PgExecutor<'_>, user: Uuid) -> Result<Blocks> {
    let rows = sqlx::query!("select kind, target from block where user_id = $1", user).fetch_all(db).await?;
    let mut blocks = Blocks::default();
    for row in rows {
        match (row.kind.as_str(), Uuid::try_parse(&row.target)) {
            ("creator", Ok(id)) => drop(blocks.creators.insert(id)),
            ("character", Ok(id)) => drop(blocks.characters.insert(id)),
            ("tag", _) => drop(blocks.tags.insert(row.target)),
            _ => {}
        }
    }
    Ok(blocks)
}

/// Newest first, with what people call them; no name of what is no longer there for everybody.
pub async fn list(db: impl PgExecutor<'_>, user: Uuid) -> Result<Vec<Block>> {
    let rows = sqlx::query!(
        r#"select b.kind, b.target,
                  case b.kind
                      when 'tag' then (select t.label from tag t where t.slug = b.target)
                      when 'creator' then (select k.username from creator k where k.user_id = b.target::uuid)
                      when 'character' then (select c.name from character c where c.id = b.target::uuid and c.public
                                             and c.deleted_at is null and c.state in ('live', 'limited'))
                  end as label
           from block b where b.user_id = $1 order by b.at desc, b.target"#,
        user
    )
    .fetch_all(db)
    .await?;
    let block = |kind: &str, target, label: Option<String>| {
        let kind = match kind {
            "tag" => BlockKind::Tag,
            "creator" => BlockKind::Creator,
            _ => BlockKind::Character,
        };
        Block { kind: kind.into(), target, label: label.unwrap_or_default() }
    };
    Ok(rows.into_iter().map(|r| block(&r.kind, r.target, r.label)).collect())
}

/// Adds one; twice is as once.
///
/// # Errors
/// `TooManyBlocks` beyond 500 of a kind.
pub async fn add(tx: &mut Transaction, user: Uuid, kind: &str, target: &str) -> Result<()> {
    // One after the other for each user, or two at once would pass the limit together.
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('block:' || $1::text, 0))", user.to_string())
        .fetch_one(&mut **tx)
        .await?;
    sqlx::query!(
        "insert into block (user_id, kind, target) values ($1, $2, $3) on conflict do nothing",
        user,
        kind,
        target
    )
    .execute(&mut **tx)
    .await?;
    let count = sqlx::query_scalar!(
        r#"select count(*) as "n!" from block where user_id = $1 and kind = $2"#,
        user,
        kind
    )
    .fetch_one(&mut **tx)
    .await?;
    if count > limits::BLOCKS_MAX { Err(Error::TooManyBlocks) } else { Ok(()) }
}

pub async fn remove(db: impl PgExecutor<'_>, user: Uuid, kind: &str, target: &str) -> Result<()> {
    sqlx::query!("delete from block where user_id = $1 and kind = $2 and target = $3", user, kind, target)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn is_creator(db: impl PgExecutor<'_>, user: Uuid) -> Result<bool> {
    Ok(sqlx::query_scalar!(r#"select exists(select 1 from creator where user_id = $1) as "known!""#, user)
        .fetch_one(db)
        .await?)
}
