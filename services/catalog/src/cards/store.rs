use kit::db::Transaction;
use sqlx::PgExecutor;
use uuid::Uuid;

use super::parse::Asset;
use crate::{error::Result, limits};

/// A card as it came in.
#[derive(Debug)]
pub struct Original {
    pub json: String,
    /// The asset that its picture became.
    pub portrait: String,
}

/// Bytes that are kept of a user's cards, deleted characters among them; holds the creator, so that imports at the same
/// time see each other.
pub async fn kept(tx: &mut Transaction, owner: Uuid) -> Result<i64> {
    sqlx::query!("select 1 as one from creator where user_id = $1 for no key update", owner)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(sqlx::query_scalar!(
        r#"select (coalesce((select sum(octet_length(k.json)) from card k join character c on c.id = k.character_id
                             where c.owner = $1), 0)
                 + coalesce((select sum(octet_length(f.data)) from card_file f join character c on c.id = f.character_id
                             where c.owner = $1), 0))::bigint as "bytes!""#,
        owner
    )
    .fetch_one(&mut **tx)
    .await?)
}

/// Keeps a card and its files beside the character that was made from it.
pub async fn keep(
    tx: &mut Transaction,
    id: Uuid,
    json: &str,
    portrait: &str,
    assets: &[Asset],
) -> Result<()> {
    sqlx::query!("insert into card (character_id, json, portrait) values ($1, $2, $3)", id, json, portrait)
        .execute(&mut **tx)
        .await?;
    for (n, asset) in (0..).zip(assets) {
        sqlx::query!(
            "insert into card_file (character_id, n, path, data) values ($1, $2, $3, $4)",
            id,
            n,
            asset.path,
            asset.data
        )
        .execute(&mut **tx)
        .await?;
    }
    Ok(())
}

/// The card that a character was made from.
pub async fn original(db: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Original>> {
    Ok(sqlx::query_as!(Original, "select json, portrait from card where character_id = $1", id)
        .fetch_optional(db)
        .await?)
}

/// The files that came with it, in their order.
pub async fn assets(db: impl PgExecutor<'_>, id: Uuid) -> Result<Vec<Asset>> {
    Ok(sqlx::query_as!(Asset, "select path, data from card_file where character_id = $1 order by n", id)
        .fetch_all(db)
        .await?)
}

/// All that is kept of the cards of a user. Files that came with them by name and size, and so the JSON of large ones:
/// the export of the card brings them, and together they would be more than one answer holds.
pub async fn export(db: impl PgExecutor<'_>, user: Uuid) -> Result<serde_json::Value> {
    Ok(sqlx::query_scalar!(
        r#"select coalesce(jsonb_agg(jsonb_build_object(
                 'characterId', c.id,
                 'extras', (select to_jsonb(e) - 'character_id' from character_extras e where e.character_id = c.id),
                 'card', (select case when octet_length(k.json) <= $2 then to_jsonb(k) - 'character_id'
                                 else jsonb_build_object('portrait', k.portrait, 'bytes', octet_length(k.json)) end
                          from card k where k.character_id = c.id),
                 'files', (select coalesce(jsonb_agg(jsonb_build_object('path', f.path,
                                      'bytes', length(f.data)) order by f.n), '[]')
                           from card_file f where f.character_id = c.id),
                 'holds', (select coalesce(jsonb_agg(to_jsonb(h) - 'character_id' - 'digest'), '[]')
                           from character_hold h where h.character_id = c.id)) order by c.created_at, c.id), '[]')
             as "cards!" from character c where c.owner = $1"#,
        user,
        limits::CARD_EXPORT_BYTES
    )
    .fetch_one(db)
    .await?)
}
