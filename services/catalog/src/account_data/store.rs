use sqlx::PgExecutor;
use uuid::Uuid;

use crate::error::Result;

/// All that is stored about a user, as one JSON object; built by PostgreSQL, so that a new column is in
/// it without anybody thinking of it.
pub async fn export(db: impl PgExecutor<'_>, user: Uuid) -> Result<serde_json::Value> {
    let whole = sqlx::query_scalar!(
        r#"select jsonb_build_object(
             'creator', (select to_jsonb(k) from creator k where k.user_id = $1),
             'viewer', (select to_jsonb(v) from viewer v where v.user_id = $1),
             'plan', (select to_jsonb(e) from entitlement e where e.user_id = $1),
             'characters', (select coalesce(jsonb_agg(to_jsonb(c) || jsonb_build_object('counts', to_jsonb(s) - 'character_id')
                                                      order by c.created_at, c.id), '[]')
                            from character c join character_stats s on s.character_id = c.id where c.owner = $1),
             'reactions', (select coalesce(jsonb_agg(to_jsonb(r) order by r.at, r.character_id), '[]')
                           from reaction r where r.user_id = $1),
             'followedCharacters', (select coalesce(jsonb_agg(to_jsonb(f) order by f.at, f.character_id), '[]')
                                    from character_follow f where f.user_id = $1),
             'followedCreators', (select coalesce(jsonb_agg(to_jsonb(f) order by f.followee), '[]')
                                  from creator_follow f where f.follower = $1),
             'reviews', (select coalesce(jsonb_agg(to_jsonb(r) order by r.created_at, r.id), '[]')
                         from review r where r.user_id = $1),
             'blocks', (select coalesce(jsonb_agg(to_jsonb(b) order by b.at, b.target), '[]')
                        from block b where b.user_id = $1)) as "whole!""#,
        user
    )
    .fetch_one(db)
    .await?;
    Ok(whole)
}
