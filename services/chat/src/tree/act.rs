use std::collections::HashMap;

use kit::{db::Transaction, error::Failure, idempotency::Held, text};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    batch::{Batch, Entry},
    store,
};
use crate::{
    App,
    chats::{self, Chat, Message},
    error::{Error, Result},
    generations,
    limits::{EDIT_MAX, MESSAGE_MAX, TITLE_MAX, VARIANTS_MAX},
    memories,
    rules::{self, Kind},
};

/// A chat that was made from another.
pub struct Fork {
    pub chat: Uuid,
    pub character: Uuid,
    pub title: String,
}

impl App {
    /// The user's own chat, held, with a message of it.
    async fn hold(
        &self,
        tx: &mut Transaction,
        user: Uuid,
        chat: Uuid,
        message: Uuid,
    ) -> Result<(Chat, Message)> {
        let chat = chats::store::lock(tx, user, chat).await?.ok_or(Error::ChatNotFound)?;
        let message = store::live(&mut **tx, chat.id, message).await?.ok_or(Error::MessageNotFound)?;
        Ok((chat, message))
    }

    /// Another version beside a message; the path then ends with it.
    pub(super) async fn edit(
        &self,
        user: Uuid,
        chat: Uuid,
        message: Uuid,
        content: &str,
    ) -> Result<(Message, Vec<Message>)> {
        let content =
            text::clean(content, EDIT_MAX).map_err(|e| Failure::invalid("content", e.to_string()))?;
        if content.is_empty() {
            return Err(Failure::invalid("content", "Write a message first.").into());
        }
        // Before the row is held: the rules take their time.
        self.judge(user, Kind::EDIT, &content).await?;
        chats::store::find(&self.db, user, chat).await?.ok_or(Error::ChatNotFound)?;
        let old = store::live(&self.db, chat, message).await?.ok_or(Error::MessageNotFound)?;
        let said = rules::said(&rules::said_until(&self.db, old.parent_id).await?);
        self.judge_after(user, Kind::EDIT, &said, &content).await?;
        self.classify(user, Kind::EDIT, &content).await?;
        let mut tx = self.db.begin().await?;
        let (chat, old) = self.hold(&mut tx, user, chat, message).await?;
        if let Some(running) = generations::store::running(&mut *tx, chat.id).await? {
            return Err(Error::Running(running));
        }
        if old.by_user() && content.chars().count() > MESSAGE_MAX {
            let text = format!("At most {MESSAGE_MAX} characters.");
            return Err(Failure::invalid("content", text).into());
        }
        let id = if old.content == content {
            old.id
        } else {
            if old.siblings.len() >= VARIANTS_MAX {
                return Err(Error::TooManyVariants);
            }
            let mut batch = Batch::default();
            let entry = Entry::new(old.parent_id, old.depth, old.by_user(), content);
            let id = batch.add(Entry { edited: true, ..entry });
            batch.write(&mut tx, chat.id).await?;
            id
        };
        chats::store::show(&mut tx, chat.id, id).await?;
        let path = chats::store::path(&mut *tx, id).await?;
        tx.commit().await?;
        let message = path.last().cloned().ok_or(Error::MessageNotFound)?;
        Ok((message, path))
    }

    /// Shows the branch of a message. A reply that is being written goes on where it is.
    pub(super) async fn set_leaf(&self, user: Uuid, chat: Uuid, message: Uuid) -> Result<Vec<Message>> {
        let mut tx = self.db.begin().await?;
        let (chat, message) = self.hold(&mut tx, user, chat, message).await?;
        let leaf = store::newest_leaf(&mut *tx, message.id).await?;
        show(tx, chat.id, leaf).await
    }

    /// Takes a message away with what follows from it: the path, how much went, and when.
    pub(super) async fn delete(
        &self,
        user: Uuid,
        chat: Uuid,
        message: Uuid,
    ) -> Result<(Vec<Message>, usize, OffsetDateTime)> {
        let mut tx = self.db.begin().await?;
        let (chat, message) = self.hold(&mut tx, user, chat, message).await?;
        if let Some(running) = generations::store::running(&mut *tx, chat.id).await? {
            return Err(Error::Running(running));
        }
        let parent = message.parent_id.ok_or(Error::GreetingStays)?;
        let leaf = chat.leaf_id.unwrap_or(parent);
        let removal = store::begin_removal(&mut tx, chat.id, Some(message.id), leaf).await?;
        let gone = store::remove_below(&mut tx, removal.id, message.id).await?;
        let leaf = if gone.contains(&leaf) {
            let near = neighbour(&message).unwrap_or(parent);
            store::newest_leaf(&mut *tx, near).await?
        } else {
            leaf
        };
        let path = show(tx, chat.id, leaf).await?;
        Ok((path, gone.len(), removal.at))
    }

    /// Brings back what was deleted with a message.
    pub(super) async fn restore(&self, user: Uuid, chat: Uuid, message: Uuid) -> Result<Vec<Message>> {
        let mut tx = self.db.begin().await?;
        let chat = chats::store::lock(&mut tx, user, chat).await?.ok_or(Error::ChatNotFound)?;
        let removal = store::undoable(&mut *tx, chat.id, Some(message)).await?;
        let Some(removal) = removal else {
            // Restored already, or never deleted: there is nothing to change.
            store::live(&mut *tx, chat.id, message).await?.ok_or(Error::MessageNotFound)?;
            return chats::store::path(&mut *tx, chat.leaf_id.unwrap_or(message)).await;
        };
        let row = chats::store::message(&mut *tx, message).await?.ok_or(Error::MessageNotFound)?;
        let parent = row.parent_id.ok_or(Error::MessageNotFound)?;
        // What it follows has to be there: it is restored first.
        store::live(&mut *tx, chat.id, parent).await?.ok_or(Error::MessageNotFound)?;
        store::bring_back(&mut tx, removal.id).await?;
        let leaf = match store::live(&mut *tx, chat.id, removal.leaf_id).await? {
            Some(leaf) => leaf.id,
            None => store::newest_leaf(&mut *tx, message).await?,
        };
        show(tx, chat.id, leaf).await
    }

    /// Brings back what was cleared last.
    pub(super) async fn undo_clear(&self, user: Uuid, chat: Uuid) -> Result<Vec<Message>> {
        let mut tx = self.db.begin().await?;
        let chat = chats::store::lock(&mut tx, user, chat).await?.ok_or(Error::ChatNotFound)?;
        let removal = store::undoable(&mut *tx, chat.id, None).await?.ok_or(Error::NothingToUndo)?;
        store::bring_back(&mut tx, removal.id).await?;
        let leaf = match store::live(&mut *tx, chat.id, removal.leaf_id).await? {
            Some(leaf) => leaf.id,
            None => chat.leaf_id.ok_or(Error::ChatNotFound)?,
        };
        show(tx, chat.id, leaf).await
    }

    /// A new chat with a copy of the path to a message.
    pub(super) async fn fork(
        &self,
        user: Uuid,
        chat: Uuid,
        message: Uuid,
        answer: impl FnOnce(&Fork) -> Vec<u8>,
        held: Option<&Held>,
    ) -> Result<Fork> {
        let mut tx = self.db.begin().await?;
        let (chat, message) = self.hold(&mut tx, user, chat, message).await?;
        let path = chats::store::back_from(&mut *tx, message.id, i32::MAX).await?;
        if path.iter().any(|message| message.state == "streaming")
            && let Some(running) = generations::store::running(&mut *tx, chat.id).await?
        {
            return Err(Error::Running(running));
        }
        let named = if chat.title.is_empty() { &chat.character_name } else { &chat.title };
        let title: String = format!("Fork of {named}").chars().take(TITLE_MAX).collect();
        let new = chats::store::NewChat {
            user,
            character: chat.character_id,
            name: &chat.character_name,
            title: &title,
        };
        let copy = chats::store::create(&mut tx, new).await?;
        let (batch, copies, leaf) = copied(&path);
        batch.write(&mut tx, copy).await?;
        chats::store::show(&mut tx, copy, leaf.ok_or(Error::MessageNotFound)?).await?;
        memories::store::copy_for_fork(&mut tx, chat.id, copy, &copies).await?;
        tracing::debug!(messages = copies.len(), "a chat was forked");
        let fork = Fork { chat: copy, character: chat.character_id, title };
        if let Some(held) = held {
            held.finish(&mut *tx, &answer(&fork)).await?;
        }
        tx.commit().await?;
        Ok(fork)
    }
}

/// The version that is shown in place of a message that goes: the one before it, or else after it.
fn neighbour(message: &Message) -> Option<Uuid> {
    let at = message.siblings.iter().position(|id| *id == message.id)?;
    let before = at.checked_sub(1).and_then(|at| message.siblings.get(at));
    before.or_else(|| message.siblings.get(at + 1)).copied()
}

/// Copies of a path, which copy is of what, and the last of them.
fn copied(path: &[Message]) -> (Batch, HashMap<Uuid, Uuid>, Option<Uuid>) {
    let mut batch = Batch::default();
    let mut copies = HashMap::with_capacity(path.len());
    let mut last = None;
    for (message, depth) in path.iter().zip(1..) {
        let id = batch.add(Entry {
            parent: last,
            depth,
            by_user: message.by_user(),
            content: message.content.clone(),
            state: message.state.clone(),
            engine: message.engine.clone(),
            edited: message.edited,
            origin: Some(message.id),
            created_at: message.created_at,
        });
        copies.insert(message.id, id);
        last = Some(id);
    }
    (batch, copies, last)
}

async fn show(mut tx: Transaction, chat: Uuid, leaf: Uuid) -> Result<Vec<Message>> {
    chats::store::show(&mut tx, chat, leaf).await?;
    let path = chats::store::path(&mut *tx, leaf).await?;
    tx.commit().await?;
    Ok(path)
}
