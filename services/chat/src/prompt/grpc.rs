use std::collections::HashMap;

use kit::{caller, ids};
use proto::chat::v1::{
    self as pb, GetManifestRequest, GetManifestResponse, PreviewPromptRequest, PreviewPromptResponse,
    prompts_server::Prompts,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Cast, Happens, There, manifest::Manifest, store};
use crate::{
    App,
    chats::{self, Chat},
    engines::Person,
    error::{Error, Result},
    generations::Stand,
    lorebooks::{self, Book},
    memories,
};

#[tonic::async_trait]
impl Prompts for App {
    async fn get_manifest(
        &self,
        request: Request<GetManifestRequest>,
    ) -> Result<Response<GetManifestResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let chat = ids::find("chat_not_found", &request.chat_id)?;
        let message = ids::find("manifest_not_found", &request.message_id)?;
        let chat = chats::store::find(&self.db, user.id, chat).await?.ok_or(Error::ChatNotFound)?;
        let manifest = store::of_message(&self.db, chat.id, message).await?.ok_or(Error::ManifestNotFound)?;
        let texts = self.texts(user.id, &chat, &manifest).await?;
        Ok(Response::new(GetManifestResponse { manifest: Some(shown(manifest, &texts)) }))
    }

    async fn preview_prompt(
        &self,
        request: Request<PreviewPromptRequest>,
    ) -> Result<Response<PreviewPromptResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let id = ids::find("chat_not_found", &request.chat_id)?;
        let chat = chats::store::find(&self.db, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        let (card, entitlement, person) = tokio::try_join!(
            self.peers.card(user.id, chat.character_id),
            self.peers.entitlement(user.id),
            self.peers.persona(user.id, request.persona_id),
        )?;
        let person = person.unwrap_or_else(|| Person { name: user.name.clone(), ..Person::default() });
        // Nothing is said yet, and no server is asked for a look: words are compared.
        let near = HashMap::new();
        let cast = Cast { chat: &chat, card: &card, person: &person, entitlement, near: &near };
        let mut db = self.db.acquire().await.map_err(Error::from)?;
        // What a turn would follow.
        let path = Stand::AtLeaf.path(&mut db, &chat, self.reach(entitlement), None).await?.messages;
        let recalled = self.recall(&mut db, user.id, &chat, &path, Happens::Looked, There::ANYTHING).await?;
        db.done();
        let job = self.prepare(&cast, &path, Happens::Looked, recalled).await?;
        let manifest = job.prompt.manifest;
        let texts = self.texts(user.id, &chat, &manifest).await?;
        Ok(Response::new(PreviewPromptResponse { manifest: Some(shown(manifest, &texts)) }))
    }
}

/// What the entries of a manifest say, by their id and number.
type Texts = HashMap<(String, Option<usize>), String>;

impl App {
    /// The words of memories and lore as they read now. A character's own lore is its creator's to read.
    async fn texts(&self, user: Uuid, chat: &Chat, manifest: &Manifest) -> Result<Texts> {
        let mut texts = Texts::new();
        let entries = || manifest.blocks.iter().flat_map(|block| &block.entries);
        if entries().any(|entry| entry.at.is_none()) {
            for memory in memories::store::of_chat(&self.db, user, chat.id).await? {
                texts.insert((memory.id.to_string(), None), memory.text);
            }
        }
        let mut books: Vec<&str> =
            entries().filter(|entry| entry.at.is_some()).map(|entry| entry.id.as_str()).collect();
        books.sort_unstable();
        books.dedup();
        for id in books {
            for (at, entry) in self.book(user, chat, id).await?.entries.into_iter().enumerate() {
                texts.insert((id.to_owned(), Some(at)), entry.content);
            }
        }
        Ok(texts)
    }

    async fn book(&self, user: Uuid, chat: &Chat, id: &str) -> Result<Book> {
        if id == "card" {
            // A card that can be opened no more has nothing to show.
            let card = self.peers.card(user, chat.character_id).await.ok();
            let own = card.filter(|card| {
                card.shown.creator.as_ref().is_some_and(|creator| creator.id == user.to_string())
            });
            let book = own.as_ref().and_then(|card| card.book.as_ref());
            return Ok(book.map(|keyed| keyed.book.clone()).unwrap_or_default());
        }
        let Ok(id) = Uuid::try_parse(id) else { return Ok(Book::default()) };
        let found = lorebooks::store::find(&self.db, user, id).await?;
        Ok(found.map(|found| found.book.0).unwrap_or_default())
    }
}

fn shown(manifest: Manifest, texts: &Texts) -> pb::PromptManifest {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let blocks = manifest.blocks.into_iter().map(|block| pb::PromptBlock {
        block: block.block,
        title: block.title,
        tokens: count(block.tokens),
        included: block.included,
        why: block.why.map_or("", super::Why::as_str).to_owned(),
        parts: block.parts.map(count),
        dropped: block.dropped.map(count),
        entries: block
            .entries
            .into_iter()
            .map(|entry| pb::PromptEntry {
                text: texts.get(&(entry.id.clone(), entry.at)).cloned().unwrap_or_default(),
                id: entry.id,
                title: entry.title,
                tokens: count(entry.tokens),
                included: entry.included,
                why: entry.why.map_or("", super::Why::as_str).to_owned(),
            })
            .collect(),
    });
    pb::PromptManifest {
        engine: manifest.engine,
        model: manifest.model,
        budget: count(manifest.budget),
        reply: count(manifest.reply),
        tokens: count(manifest.tokens),
        estimated: manifest.estimated,
        prefix_tokens: manifest.prefix_tokens.map(count),
        blocks: blocks.collect(),
        warnings: manifest.warnings,
    }
}
