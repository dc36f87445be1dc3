use kit::{caller, ids};
use proto::chat::v1::{
    ChatSummary, ClearChatRequest, ClearChatResponse, GetUsageRequest, GetUsageResponse, ListChatsRequest,
    ListChatsResponse, OpenChatRequest, OpenChatResponse, chats_server::Chats,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Chat, Message, store};
use crate::{
    App, activity,
    error::{Error, Result},
    generations,
    peers::Opened,
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
            self.peers.persona(None),
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
        let messages = match chat.leaf_id {
            Some(leaf) => store::path(&self.db, leaf).await?,
            None => Vec::new(),
        };
        let running = generations::store::running(&self.db, chat.id).await?;
        let used = usage::store::used(&self.db, user.id, usage::first_of_month(usage::today())).await?;
        let first_contact = !messages.iter().any(Message::by_user);
        let path = messages.last().map_or(0, |m| m.depth.unsigned_abs());
        Ok(Response::new(OpenChatResponse {
            chat_id: chat.id.to_string(),
            messages: messages.into_iter().map(Into::into).collect(),
            running_generation_id: running.map_or_else(String::new, |id| id.to_string()),
            usage: Some(usage::shown(used, entitlement, path)),
            scenario: card.scene(&name),
            character: Some(card.shown),
            engine: self.engine.name().to_owned(),
            engine_offline: self.engine.offline(),
            first_contact,
            ..OpenChatResponse::default()
        }))
    }

    async fn list_chats(
        &self,
        request: Request<ListChatsRequest>,
    ) -> Result<Response<ListChatsResponse>, Status> {
        let user = caller::user(&request)?;
        let chats = store::list(&self.db, user.id).await?;
        let chats = chats
            .into_iter()
            .map(|chat| ChatSummary {
                id: chat.id.to_string(),
                character_id: chat.character_id.to_string(),
                character_name: chat.character_name,
                created_at: Some(kit::time::to_proto(chat.created_at)),
                last_message: chat.last_message,
                last_message_at: Some(kit::time::to_proto(chat.last_message_at)),
                message_count: chat.message_count.unsigned_abs(),
                ..ChatSummary::default()
            })
            .collect();
        Ok(Response::new(ListChatsResponse { chats }))
    }

    async fn clear_chat(
        &self,
        request: Request<ClearChatRequest>,
    ) -> Result<Response<ClearChatResponse>, Status> {
        let user = caller::user(&request)?;
        let id = ids::find("chat_not_found", &request.into_inner().chat_id)?;
        store::find(&self.db, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        if let Some(running) = generations::store::running(&self.db, id).await? {
            self.stop(running).await?;
        }
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        store::lock(&mut tx, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        if let Some(running) = generations::store::running(&mut *tx, id).await? {
            return Err(Error::Running(running).into());
        }
        let first = store::clear(&mut tx, id).await?.ok_or(Error::ChatNotFound)?;
        tx.commit().await.map_err(Error::from)?;
        Ok(Response::new(ClearChatResponse { first_message: Some(first.into()), undo_until: None }))
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
    async fn latest_or_new(&self, user: Uuid, card: &Opened, name: &str) -> Result<Chat> {
        if let Some(chat) = store::latest(&self.db, user, card.id).await? {
            return Ok(chat);
        }
        let mut tx = self.db.begin().await?;
        store::hold_opening(&mut tx, user, card.id).await?;
        if let Some(chat) = store::latest(&mut *tx, user, card.id).await? {
            return Ok(chat);
        }
        let chat = store::create(&mut tx, user, card.id, &card.card.name, &card.greeting(name)).await?;
        activity::note(&mut *tx, card.id, user, activity::Kind::Chat, 1).await?;
        tx.commit().await?;
        Ok(chat)
    }
}
