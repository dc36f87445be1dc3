use kit::{
    caller,
    error::{Failure, Violations},
    ids,
    page::Page,
    text,
};
use proto::chat::v1::{
    AddMemoryRequest, AddMemoryResponse, ChatMemory, DeleteMemoryRequest, DeleteMemoryResponse,
    ListChatMemoriesRequest, ListChatMemoriesResponse, ListMemoriesRequest, ListMemoriesResponse,
    MemoryScope, UpdateMemoryRequest, UpdateMemoryResponse, memories_server::Memories,
};
use tonic::{Request, Response, Status};

use super::{jobs, path::Holding, store};
use crate::{
    App, chats,
    error::{Error, Result},
    limits::{MEMORIES_MAX, MEMORY_MAX},
    prompt,
    rules::Kind,
};

#[tonic::async_trait]
impl Memories for App {
    async fn list_memories(
        &self,
        request: Request<ListMemoriesRequest>,
    ) -> Result<Response<ListMemoriesResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let character = match request.character_id.as_str() {
            "" => None,
            id => Some(ids::parse("characterId", id)?),
        };
        let page = Page::from_proto(request.page.as_ref())?;
        let memories = store::page(&self.db, user.id, character, page).await?;
        let total = store::count(&self.db, user.id, character).await?;
        Ok(Response::new(ListMemoriesResponse {
            memories: memories.into_iter().map(Into::into).collect(),
            page: Some(page.info(total)),
        }))
    }

    async fn list_chat_memories(
        &self,
        request: Request<ListChatMemoriesRequest>,
    ) -> Result<Response<ListChatMemoriesResponse>, Status> {
        let user = caller::user(&request)?;
        let id = ids::find("chat_not_found", &request.into_inner().chat_id)?;
        let chat = chats::store::find(&self.db, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        let path = match chat.leaf_id {
            Some(leaf) => chats::store::said(&self.db, leaf).await?,
            None => Vec::new(),
        };
        let newest = path.iter().rev().find_map(|message| message.generation_id);
        let told = match newest {
            Some(generation) => prompt::store::manifest(&self.db, generation).await?,
            None => None,
        };
        let memories = store::of_chat(&self.db, user.id, id).await?;
        let holding = Holding::read(&self.db, &path, &memories).await?;
        let memories =
            memories.into_iter().filter(|memory| !memory.text.is_empty()).map(|memory| ChatMemory {
                valid: holding.has(&memory),
                in_prompt: told.as_ref().is_some_and(|told| told.tells(&memory.id.to_string())),
                memory: Some(memory.into()),
            });
        Ok(Response::new(ListChatMemoriesResponse { memories: memories.collect() }))
    }

    async fn add_memory(
        &self,
        request: Request<AddMemoryRequest>,
    ) -> Result<Response<AddMemoryResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let id = ids::find("chat_not_found", &request.chat_id)?;
        let text = read_text(&request.text)?;
        self.judge(user.id, Kind::MEMORY, &text).await?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        // Locked, so that two who write at once do not both take the last place.
        let chat = chats::store::lock(&mut tx, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        if store::facts_of_chat(&mut *tx, user.id, id).await? >= MEMORIES_MAX {
            return Err(Error::TooManyMemories.into());
        }
        let new = store::NewFact {
            user: user.id,
            character: chat.character_id,
            chat: (request.scope() != MemoryScope::Character).then_some(id),
            text: &text,
            pinned: request.pinned,
        };
        let memory = store::add_fact(&mut *tx, new).await?;
        tx.commit().await.map_err(Error::from)?;
        if self.embedder.is_some() {
            jobs::wake(&self.db, id).await?;
        }
        Ok(Response::new(AddMemoryResponse { memory: Some(memory.into()) }))
    }

    async fn update_memory(
        &self,
        request: Request<UpdateMemoryRequest>,
    ) -> Result<Response<UpdateMemoryResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let id = ids::find("memory_not_found", &request.id)?;
        let text = request.text.as_deref().map(read_text).transpose()?;
        if let Some(text) = &text {
            self.judge(user.id, Kind::MEMORY, text).await?;
        }
        let importance = match request.importance {
            None => None,
            Some(n @ 1..=5) => i16::try_from(n).ok(),
            Some(_) => return Err(Failure::invalid("importance", "Between 1 and 5.").into()),
        };
        let memory =
            store::update(&self.db, user.id, id, text.as_deref(), request.pinned, importance).await?;
        let memory = memory.ok_or(Error::MemoryNotFound)?;
        Ok(Response::new(UpdateMemoryResponse { memory: Some(memory.into()) }))
    }

    async fn delete_memory(
        &self,
        request: Request<DeleteMemoryRequest>,
    ) -> Result<Response<DeleteMemoryResponse>, Status> {
        let user = caller::user(&request)?;
        let id = ids::find("memory_not_found", &request.into_inner().id)?;
        if !store::forget(&self.db, user.id, id).await? {
            return Err(Error::MemoryNotFound.into());
        }
        Ok(Response::new(DeleteMemoryResponse {}))
    }
}

fn read_text(text: &str) -> Result<String> {
    let mut wrong = Violations::new();
    let text = text::clean(text, MEMORY_MAX).unwrap_or_else(|error| {
        wrong.add("text", error.to_string());
        String::new()
    });
    wrong.check(!(wrong.is_empty() && text.is_empty()), "text", "Write what is to be remembered.");
    wrong.done()?;
    Ok(text)
}
