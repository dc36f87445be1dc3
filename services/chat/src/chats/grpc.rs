use kit::{caller, db::Transaction, error::Failure, ids};
use proto::chat::v1::{
    ClearChatRequest, ClearChatResponse, GetUsageRequest, GetUsageResponse, ListChatsRequest,
    ListChatsResponse, OpenChatRequest, OpenChatResponse, chats_server::Chats,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Chat, Message, pattern, shown, store};
use crate::{
    App, activity,
    error::{Error, Result},
    generations,
    limits::{PATH_MAX, QUERY_MAX},
    peers::Opened,
    tree::{
        self,
        batch::{Batch, Entry},
    },
    usage,
};

#[tonic::async_trait]
impl Chats for App {
    async fn open_chat(
        &self,
        request: Request<OpenChatRequest>,
    ) -> Result<Response<OpenChatResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let character = ids::find("character_not_found", &request.character_id)?;
        let (card, entitlement, persona) = tokio::try_join!(
            self.peers.card(user.id, character),
            self.peers.entitlement(user.id),
            self.peers.persona(user.id, None),
        )?;
        let name = persona.map_or(user.name, |persona| persona.name);
        let chat = match request.chat_id {
            Some(id) => {
                let id = ids::find("chat_not_found", &id)?;
                let chat = store::find(&self.db, user.id, id).await?;
                chat.filter(|chat| chat.character_id == character).ok_or(Error::ChatNotFound)?
            }
            None => self.latest_or_new(user.id, &card, &name).await?,
        };
        let most = match request.limit {
            0 => PATH_MAX,
            limit => i32::try_from(limit).unwrap_or(PATH_MAX).min(PATH_MAX),
        };
        // Before the messages: a reply that ends in between is told as running and read whole, never as ended and empty.
        let running = generations::store::running(&self.db, chat.id).await?;
        let (end, path) = self.end_of(&chat, request.before).await?;
        let messages = match end {
            Some(end) => store::back_from(&self.db, end, most).await?,
            None => Vec::new(),
        };
        let used = usage::store::used(&self.db, user.id, usage::first_of_month(usage::today())).await?;
        let path = path.unwrap_or_else(|| messages.last().map_or(0, |m| m.depth.unsigned_abs()));
        // A part of a longer path tells nothing: on that path something was said.
        let whole = messages.len() == path as usize;
        let first_contact = whole && !messages.iter().any(Message::by_user);
        let cleared = tree::store::undoable(&self.db, chat.id, None).await?;
        Ok(Response::new(OpenChatResponse {
            chat_id: chat.id.to_string(),
            title: chat.title,
            has_earlier: messages.first().is_some_and(|m| m.parent_id.is_some()),
            clear_undo_until: cleared.map(|c| kit::time::to_proto(tree::undo_until(c.at))),
            messages: messages.into_iter().map(Into::into).collect(),
            running_generation_id: running.map_or_else(String::new, |id| id.to_string()),
            usage: Some(usage::shown(used, entitlement, path)),
            scenario: card.scene(&name),
            character: Some(card.shown.clone()),
            engine: self.engine.name().to_owned(),
            engine_offline: self.engine.offline(),
            first_contact,
        }))
    }

    async fn list_chats(
        &self,
        request: Request<ListChatsRequest>,
    ) -> Result<Response<ListChatsResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let query =
            kit::text::clean(&request.query, QUERY_MAX).map_err(|e| Failure::invalid("q", e.to_string()))?;
        let id = |reason, text: &str| (!text.is_empty()).then(|| ids::find(reason, text)).transpose();
        let wanted = store::Wanted {
            archived: request.archived,
            like: pattern(&query),
            character: id("character_not_found", &request.character_id)?,
            after: id("chat_not_found", &request.after)?,
        };
        let chats = store::list(&self.db, user.id, &wanted).await?;
        Ok(Response::new(ListChatsResponse { chats: chats.into_iter().map(shown).collect() }))
    }

    async fn clear_chat(
        &self,
        request: Request<ClearChatRequest>,
    ) -> Result<Response<ClearChatResponse>, Status> {
        let user = caller::user(&request)?;
        let id = ids::find("chat_not_found", &request.into_inner().chat_id)?;
        let mut tx = self.held_still(user.id, id).await?;
        let chat = store::lock(&mut tx, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        let leaf = chat.leaf_id.ok_or(Error::ChatNotFound)?;
        let root = tree::store::root(&mut *tx, leaf).await.map_err(Status::from)?;
        let root = root.ok_or(Error::ChatNotFound)?;
        let removal = tree::store::begin_removal(&mut tx, id, None, leaf).await?;
        let gone = tree::store::remove_all(&mut tx, removal.id, id).await?;
        if gone == 0 {
            tree::store::end_removal(&mut tx, removal.id).await?;
        }
        store::show(&mut tx, id, root).await?;
        let first = store::message(&mut *tx, root).await?.ok_or(Error::ChatNotFound)?;
        tx.commit().await.map_err(Error::from)?;
        self.changed(user.id, id);
        Ok(Response::new(ClearChatResponse {
            first_message: Some(first.into()),
            undo_until: (gone > 0).then(|| kit::time::to_proto(tree::undo_until(removal.at))),
        }))
    }

    async fn get_usage(
        &self,
        request: Request<GetUsageRequest>,
    ) -> Result<Response<GetUsageResponse>, Status> {
        let user = caller::user(&request)?;
        let entitlement = self.peers.entitlement(user.id).await?;
        let used = usage::store::used(&self.db, user.id, usage::first_of_month(usage::today())).await?;
        Ok(Response::new(GetUsageResponse { usage: Some(usage::shown(used, entitlement, 0)) }))
    }
}

impl App {
    /// Tells the user's open browsers that a chat is no longer as they show it.
    pub(crate) fn changed(&self, user: Uuid, chat: Uuid) {
        self.notices.hint_soon(user, "chat.changed", chat.to_string());
    }

    /// Where the messages that are asked for end and, when that is not the path's end, how long the path is.
    async fn end_of(&self, chat: &Chat, before: Option<String>) -> Result<(Option<Uuid>, Option<u32>)> {
        let Some(before) = before else { return Ok((chat.leaf_id, None)) };
        let before = ids::find("message_not_found", &before)?;
        let before = tree::store::live(&self.db, chat.id, before).await?.ok_or(Error::MessageNotFound)?;
        let leaf = match chat.leaf_id {
            Some(leaf) => store::message(&self.db, leaf).await?,
            None => None,
        };
        Ok((before.parent_id, Some(leaf.map_or(0, |leaf| leaf.depth.unsigned_abs()))))
    }

    /// A transaction in which the user's chat is held and nothing is written: what runs is stopped first.
    pub(crate) async fn held_still(&self, user: Uuid, chat: Uuid) -> Result<Transaction> {
        store::find(&self.db, user, chat).await?.ok_or(Error::ChatNotFound)?;
        if let Some(running) = generations::store::running(&self.db, chat).await? {
            self.stop(running).await?;
        }
        let mut tx = self.db.begin().await?;
        store::lock(&mut tx, user, chat).await?.ok_or(Error::ChatNotFound)?;
        if let Some(running) = generations::store::running(&mut *tx, chat).await? {
            return Err(Error::Running(running));
        }
        Ok(tx)
    }

    async fn latest_or_new(&self, user: Uuid, card: &Opened, name: &str) -> Result<Chat> {
        if let Some(chat) = store::latest(&self.db, user, card.id).await? {
            return Ok(chat);
        }
        let mut tx = self.db.begin().await?;
        store::hold_opening(&mut tx, user, card.id).await?;
        if let Some(chat) = store::latest(&mut *tx, user, card.id).await? {
            return Ok(chat);
        }
        begin(&mut tx, user, card, name, 0).await?;
        activity::note_chat(&mut *tx, card.id, user).await?;
        let chat = store::latest(&mut *tx, user, card.id).await?.ok_or(Error::ChatNotFound)?;
        tx.commit().await?;
        Ok(chat)
    }
}

/// A new chat with all greetings of the card, beside each other; `shown` says which of them is the leaf.
pub(crate) async fn begin(
    tx: &mut Transaction,
    user: Uuid,
    card: &Opened,
    name: &str,
    shown: usize,
) -> Result<Uuid> {
    let new = store::NewChat { user, character: card.id, name: &card.card.name, title: "" };
    let chat = store::create(tx, new).await?;
    let mut batch = Batch::default();
    let greetings = card.greetings(name).into_iter();
    let ids: Vec<Uuid> = greetings.map(|greeting| batch.add(Entry::new(None, 1, false, greeting))).collect();
    batch.write(tx, chat).await?;
    let leaf = ids.get(shown).or(ids.first()).ok_or(Error::ChatNotFound)?;
    store::show(tx, chat, *leaf).await?;
    Ok(chat)
}
