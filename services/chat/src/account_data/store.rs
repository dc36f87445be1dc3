use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::error::Result;

/// All that is stored about a user, as one JSON object.
pub async fn export(db: impl PgExecutor<'_>, user: Uuid) -> Result<String> {
    let json = sqlx::query_scalar!(
        r#"select jsonb_build_object(
             'chats', coalesce((
               select jsonb_agg(jsonb_build_object(
                 'id', c.id, 'characterId', c.character_id, 'characterName', c.character_name,
                 'title', c.title, 'pinned', c.pinned, 'archived', c.archived, 'deletedAt', c.deleted_at,
                 'createdAt', c.created_at, 'lastMessageAt', c.last_message_at, 'activeMessage', c.leaf_id,
                 'messages', (
                   select jsonb_agg(jsonb_build_object(
                     'id', m.id, 'parent', m.parent_id, 'sender', m.sender, 'content', m.content,
                     'state', m.state, 'reason', m.reason, 'engine', m.engine, 'edited', m.edited,
                     'copyOf', m.origin_id, 'deletedAt', m.deleted_at, 'createdAt', m.created_at)
                     order by m.id)
                   from message m where m.chat_id = c.id),
                 'replies', (
                   select jsonb_agg(jsonb_build_object(
                     'id', g.id, 'message', g.message_id, 'state', g.state, 'reason', g.reason,
                     'prompt', g.manifest, 'createdAt', g.created_at) order by g.id)
                   from generation g where g.chat_id = c.id))
                 order by c.id)
               from chat c where c.user_id = $1), '[]'),
             'chatSampling', coalesce((
               select jsonb_agg(jsonb_build_object(
                 'chat', s.chat_id, 'preset', s.preset, 'values', s.values) order by s.chat_id)
               from chat_sampling s join chat c on c.id = s.chat_id where c.user_id = $1), '[]'),
             'samplingPresets', coalesce((
               select jsonb_agg(jsonb_build_object(
                 'id', p.id, 'label', p.label, 'values', p.values, 'createdAt', p.created_at) order by p.label)
               from sampling_preset p where p.user_id = $1), '[]'),
             'usage', coalesce((
               select jsonb_agg(jsonb_build_object('span', u.span, 'from', u.period_start, 'used', u.used)
                 order by u.period_start)
               from usage u where u.user_id = $1), '[]'),
             'memories', coalesce((
               select jsonb_agg(jsonb_build_object(
                 'id', m.id, 'characterId', m.character_id, 'chatId', m.chat_id, 'kind', m.kind, 'text', m.text,
                 'importance', m.importance, 'pinned', m.pinned, 'edited', m.edited, 'messages', m.sources,
                 'createdAt', m.created_at) order by m.created_at, m.id)
               from memory m where m.user_id = $1 and m.text <> ''), '[]'),
             'lorebooks', coalesce((
               select jsonb_agg(jsonb_build_object(
                 'id', l.id, 'name', l.name, 'enabled', l.enabled, 'characterIds', l.character_ids, 'book', l.book,
                 'createdAt', l.created_at, 'updatedAt', l.updated_at) order by l.created_at, l.id)
               from lorebook l where l.user_id = $1), '[]'),
             'requests', coalesce((
               select jsonb_agg(jsonb_build_object('key', i.key, 'of', i.op, 'at', i.at) order by i.at)
               from idempotency i where i.owner = $1), '[]')
           )::text as "json!""#,
        user
    )
    .fetch_one(db)
    .await?;
    Ok(json)
}

/// Erases all that is stored about a user; messages and replies go with their chats.
pub async fn erase(tx: &mut PgConnection, user: Uuid) -> Result<()> {
    sqlx::query!("delete from chat where user_id = $1", user).execute(&mut *tx).await?;
    sqlx::query!("delete from memory where user_id = $1", user).execute(&mut *tx).await?;
    sqlx::query!("delete from lorebook where user_id = $1", user).execute(&mut *tx).await?;
    sqlx::query!("delete from sampling_preset where user_id = $1", user).execute(&mut *tx).await?;
    sqlx::query!("delete from usage where user_id = $1", user).execute(&mut *tx).await?;
    sqlx::query!("delete from activity where user_id = $1", user).execute(&mut *tx).await?;
    sqlx::query!("delete from idempotency where owner = $1", user).execute(&mut *tx).await?;
    Ok(())
}

/// Asks all running replies of a user to stop; their owners see it within a second.
pub async fn stop_replies(tx: &mut PgConnection, user: Uuid) -> Result<()> {
    sqlx::query!(
        "update generation g set stop_asked = true from chat c
         where c.id = g.chat_id and c.user_id = $1 and g.state = 'running'",
        user
    )
    .execute(&mut *tx)
    .await?;
    Ok(())
}
