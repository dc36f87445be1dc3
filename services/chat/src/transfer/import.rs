//! A chat from a file: read, held against the rules and stored, whole or not at all.

use kit::{
    caller::User,
    error::{Failure, Violations},
    idempotency::Held,
    ids,
};
use moderation::{Place, Rule};
use prost::Message as _;
use proto::chat::v1::{ImportChatRequest, ImportChatResponse};
use time::OffsetDateTime;
use tonic::Code;

use super::jsonl::{self, Transcript, Wrong};
use crate::{
    App,
    chats::{self, store::NewChat},
    error::{Error, Result},
    limits::{IMPORT_BYTES, IMPORT_WRONG_MAX},
    tree::batch::{Batch, Entry},
};

impl App {
    pub(super) async fn import(
        &self,
        user: &User,
        request: ImportChatRequest,
        held: Option<&Held>,
    ) -> Result<ImportChatResponse> {
        let character = ids::find("character_not_found", &request.character_id)?;
        if request.file.len() > IMPORT_BYTES {
            return Err(Failure::new(Code::OutOfRange, "too_large", "the file is too large").into());
        }
        let (card, persona) =
            tokio::try_join!(self.peers.card(user.id, character), self.peers.persona(user.id, None))?;
        let name = persona.map_or_else(|| user.name.clone(), |persona| persona.name);
        let file = request.file;
        // Ten megabytes of rules would hold up everybody else on this thread.
        let (transcript, broken) =
            tokio::task::spawn_blocking(move || understand(&file)).await.map_err(|error| {
                tracing::error!(%error, "a chat file broke its reader");
                Failure::internal()
            })??;
        if !broken.is_empty() {
            // Once for the file, and for the user's own words only.
            if let Some(own) = broken.iter().find(|broken| broken.by_user && broken.rule.strikes()) {
                self.strike(user.id, own.rule, "a chat that was brought in").await;
            }
            return Err(Error::ModeratedLines(broken.into_iter().map(|b| (b.line, b.rule)).collect()));
        }

        // A conversation begins with the character: a greeting goes before words of the user.
        let greeting = transcript.messages.first().is_none_or(|message| message.by_user);
        let greeting = greeting.then(|| card.greeting(&name));
        let answer = ImportChatResponse {
            chat_id: String::new(),
            messages: u32::try_from(transcript.messages.len() + usize::from(greeting.is_some()))
                .unwrap_or(u32::MAX),
            left_out: u32::try_from(transcript.left_out).unwrap_or(u32::MAX),
        };
        let (batch, leaf) = lay_out(transcript, greeting);
        let mut tx = self.db.begin().await?;
        let new = NewChat { user: user.id, character: card.id, name: &card.card.name, title: "" };
        let chat = chats::store::create(&mut tx, new).await?;
        batch.write(&mut tx, chat).await?;
        chats::store::show(&mut tx, chat, leaf.ok_or(Error::MessageNotFound)?).await?;
        let answer = ImportChatResponse { chat_id: chat.to_string(), ..answer };
        if let Some(held) = held {
            held.finish(&mut *tx, &answer.encode_to_vec()).await?;
        }
        tx.commit().await?;
        Ok(answer)
    }
}

/// A line that breaks a rule.
struct Broken {
    line: usize,
    rule: Rule,
    by_user: bool,
}

/// What a file says, and which of its lines may not stand.
fn understand(file: &[u8]) -> Result<(Transcript, Vec<Broken>)> {
    let transcript = jsonl::read(file).map_err(refused)?;
    let broken = transcript.messages.iter().filter_map(|message| {
        let by_user = message.by_user;
        let place = if by_user { Place::UserTurn } else { Place::ModelOutput };
        let judged = message.versions.iter().find_map(|v| moderation::judge(v, place).unless_refused().err());
        judged.map(|rule| Broken { line: message.line, rule, by_user })
    });
    let broken = broken.take(IMPORT_WRONG_MAX).collect();
    Ok((transcript, broken))
}

fn refused(wrong: Vec<Wrong>) -> Error {
    let mut violations = Violations::new();
    for Wrong { line, why } in wrong {
        match line {
            0 => violations.add("file", format!("The file {why}")),
            line => violations.add(format!("line {line}"), format!("Line {line} {why}")),
        }
    }
    violations.done().err().unwrap_or_else(Failure::internal).into()
}

/// The messages as a tree; the conversation goes on from its last one.
fn lay_out(transcript: Transcript, greeting: Option<String>) -> (Batch, Option<uuid::Uuid>) {
    let now = OffsetDateTime::now_utc();
    let mut batch = Batch::default();
    let mut depth = 0;
    let mut leaf = greeting.map(|greeting| {
        depth += 1;
        batch.add(Entry::new(None, depth, false, greeting))
    });
    for message in transcript.messages {
        depth += 1;
        let parent = leaf;
        for (at, content) in message.versions.into_iter().enumerate() {
            let entry = Entry::new(parent, depth, message.by_user, content);
            // Nobody wrote tomorrow.
            let created_at = message.at.unwrap_or(now).min(now);
            let id = batch.add(Entry { created_at, ..entry });
            if at == message.chosen {
                leaf = Some(id);
            }
        }
    }
    (batch, leaf)
}
