use kit::{
    caller,
    error::Failure,
    idempotency::{Begun, Held, begin, settle},
    ids, text,
};
use prost::Message as _;
use proto::chat::v1::{
    DeleteChatRequest, DeleteChatResponse, Hit, Mark, RestoreChatRequest, RestoreChatResponse,
    SearchMessagesRequest, SearchMessagesResponse, Sender, StartChatRequest, StartChatResponse,
    UpdateChatRequest, UpdateChatResponse, shelf_server::Shelf,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{
    snippet::{snippet, tsquery, words},
    store,
};
use crate::{
    App, activity, chats,
    error::{Error, Result},
    limits::{HIT_PAGES_MAX, HITS_MAX, QUERY_MAX, TITLE_MAX},
    rules::Kind,
    tree,
};

#[tonic::async_trait]
impl Shelf for App {
    async fn start_chat(
        &self,
        request: Request<StartChatRequest>,
    ) -> Result<Response<StartChatResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let request = request.into_inner();
        let held = match begin(&self.db, user.id, "start_chat", key, &request).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let started = self.start_chat(&user, &request, held.as_ref()).await;
        Ok(Response::new(settle(&self.db, held, started).await?))
    }

    async fn update_chat(
        &self,
        request: Request<UpdateChatRequest>,
    ) -> Result<Response<UpdateChatResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let id = ids::find("chat_not_found", &request.chat_id)?;
        let title = request.title.as_deref().map(title).transpose()?;
        if let Some(title) = &title {
            self.judge(user.id, Kind::TITLE, title).await?;
        }
        let change =
            store::Change { title: title.as_deref(), pinned: request.pinned, archived: request.archived };
        if !store::update(&self.db, user.id, id, change).await? {
            return Err(Error::ChatNotFound.into());
        }
        let chat = chats::store::summary(&self.db, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        self.changed(user.id, id);
        Ok(Response::new(UpdateChatResponse { chat: Some(chats::shown(chat)) }))
    }

    async fn delete_chat(
        &self,
        request: Request<DeleteChatRequest>,
    ) -> Result<Response<DeleteChatResponse>, Status> {
        let user = caller::user(&request)?;
        let id = ids::find("chat_not_found", &request.into_inner().chat_id)?;
        let mut tx = self.held_still(user.id, id).await?;
        let at = store::delete(&mut tx, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        tx.commit().await.map_err(Error::from)?;
        self.changed(user.id, id);
        let undo_until = Some(kit::time::to_proto(tree::undo_until(at)));
        Ok(Response::new(DeleteChatResponse { undo_until }))
    }

    async fn restore_chat(
        &self,
        request: Request<RestoreChatRequest>,
    ) -> Result<Response<RestoreChatResponse>, Status> {
        let user = caller::user(&request)?;
        let id = ids::find("chat_not_found", &request.into_inner().chat_id)?;
        store::restore(&self.db, user.id, id).await?;
        self.changed(user.id, id);
        let chat = chats::store::summary(&self.db, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        Ok(Response::new(RestoreChatResponse { chat: Some(chats::shown(chat)) }))
    }

    async fn search_messages(
        &self,
        request: Request<SearchMessagesRequest>,
    ) -> Result<Response<SearchMessagesResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let query =
            text::clean(&request.query, QUERY_MAX).map_err(|e| Failure::invalid("q", e.to_string()))?;
        let words = words(&query);
        let page = request.page.max(1);
        if words.is_empty() || page > HIT_PAGES_MAX {
            return Ok(Response::new(SearchMessagesResponse::default()));
        }
        let offset = (page as usize - 1) * HITS_MAX;
        let (offset, limit) = (i64::try_from(offset).unwrap_or(i64::MAX), HITS_MAX as i64 + 1);
        let mut found = store::search(&self.db, user.id, &tsquery(&words), offset, limit).await?;
        let has_more = found.len() > HITS_MAX && page < HIT_PAGES_MAX;
        found.truncate(HITS_MAX);
        let hits = found.into_iter().map(|found| hit(found, &words)).collect();
        Ok(Response::new(SearchMessagesResponse { hits, has_more }))
    }
}

impl App {
    async fn start_chat(
        &self,
        user: &caller::User,
        request: &StartChatRequest,
        held: Option<&Held>,
    ) -> Result<StartChatResponse> {
        let character = ids::find("character_not_found", &request.character_id)?;
        let (card, persona) =
            tokio::try_join!(self.peers.card(user.id, character), self.peers.persona(user.id, None))?;
        let name = persona.map_or_else(|| user.name.clone(), |persona| persona.name);
        let greeting = usize::try_from(request.greeting).unwrap_or(usize::MAX);
        if greeting >= card.greetings(&name).len() {
            return Err(Failure::invalid("greeting", "The character has no such greeting.").into());
        }
        let mut tx = self.db.begin().await?;
        chats::store::hold_opening(&mut tx, user.id, card.id).await?;
        // A character is as popular as it has people, not as they have chats.
        let first = chats::store::latest(&mut *tx, user.id, card.id).await?.is_none();
        let id: Uuid = chats::begin(&mut tx, user.id, &card, &name, greeting).await?;
        if first {
            activity::note_chat(&mut *tx, card.id, user.id).await?;
        }
        let chat = chats::store::lock(&mut tx, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        let path = chats::store::path(&mut *tx, chat.leaf_id.ok_or(Error::ChatNotFound)?).await?;
        let started = StartChatResponse {
            chat_id: id.to_string(),
            messages: path.into_iter().map(Into::into).collect(),
        };
        if let Some(held) = held {
            held.finish(&mut *tx, &started.encode_to_vec()).await?;
        }
        tx.commit().await?;
        Ok(started)
    }
}

/// A title as it is kept: one line.
fn title(title: &str) -> Result<String> {
    let title = text::clean(title, TITLE_MAX).map_err(|e| Failure::invalid("title", e.to_string()))?;
    Ok(title.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn hit(found: store::Found, words: &[String]) -> Hit {
    let sender = if found.sender == "user" { Sender::User } else { Sender::Character };
    let snippet = snippet(&found.content, words);
    Hit {
        chat_id: found.chat_id.to_string(),
        message_id: found.id.to_string(),
        character_id: found.character_id.to_string(),
        character_name: found.character_name,
        title: found.title,
        sender: sender.into(),
        snippet: snippet.text,
        marks: snippet.marks.into_iter().map(|(start, end)| Mark { start, end }).collect(),
        created_at: Some(kit::time::to_proto(found.created_at)),
    }
}
