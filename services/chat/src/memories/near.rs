//! How close memories are to what was said last, by their vectors: known before a turn's transaction begins, so
//! that no row is locked while a server is asked.

use std::collections::HashMap;

use uuid::Uuid;

use super::{embed::nearness, jobs, store};
use crate::{
    App,
    chats::{self, Chat},
    error::Result,
    limits::EMBEDDED_MAX,
    prompt::COMPARED,
    tree,
};

impl App {
    /// How close the memories of a chat are to `words`, said below the message `at`, or below the leaf. With
    /// `anew`, words or a reply stand in place of that message, which does not count. Holds no memory whose vector
    /// is missing, and none at all when anything goes wrong: their words are compared.
    pub(crate) async fn near(
        &self,
        user: Uuid,
        chat: &Chat,
        at: Option<Uuid>,
        anew: bool,
        words: Option<&str>,
    ) -> HashMap<Uuid, f32> {
        let near = self.nearness(user, chat, at, anew, words).await;
        near.unwrap_or_else(|error| {
            tracing::warn!(%error, "vectors of memories could not be read");
            HashMap::new()
        })
    }

    async fn nearness(
        &self,
        user: Uuid,
        chat: &Chat,
        at: Option<Uuid>,
        anew: bool,
        words: Option<&str>,
    ) -> Result<HashMap<Uuid, f32>> {
        let none = HashMap::new();
        let Some(embedder) = &self.embedder else { return Ok(none) };
        if !store::lacking(&self.db, user, chat.id, embedder.model(), 1).await?.is_empty() {
            jobs::wake(&self.db, chat.id).await?;
        }
        let vectors = store::vectors(&self.db, user, chat.id, embedder.model()).await?;
        if vectors.is_empty() {
            return Ok(none);
        }
        let Some(at) = at.or(chat.leaf_id) else { return Ok(none) };
        let Some(message) = tree::store::live(&self.db, chat.id, at).await? else { return Ok(none) };
        let replaced = anew && message.by_user() == words.is_some();
        let Some(at) = (if replaced { message.parent_id } else { Some(at) }) else { return Ok(none) };
        let newest = i32::try_from(COMPARED).unwrap_or(i32::MAX);
        let mut said: Vec<String> = chats::store::said_back_from(&self.db, at, newest)
            .await?
            .into_iter()
            .filter(chats::Told::is_said)
            .map(|message| message.content.into())
            .collect();
        said.extend(words.map(str::to_owned));
        said.drain(..said.len().saturating_sub(COMPARED));
        let said = said.join("\n");
        let said = end_of(&said, EMBEDDED_MAX);
        if said.trim().is_empty() {
            return Ok(none);
        }
        match embedder.embed(&[said]).await {
            Ok(given) => Ok(compare(&given[0], &vectors)),
            Err(error) => {
                tracing::warn!(%error, "memories are compared by their words");
                Ok(none)
            }
        }
    }
}

/// Those of which the vectors can be compared.
fn compare(said: &[f32], vectors: &[(Uuid, Vec<f32>)]) -> HashMap<Uuid, f32> {
    vectors.iter().filter_map(|(id, vector)| Some((*id, nearness(said, vector)?))).collect()
}

/// The last `most` characters.
fn end_of(text: &str, most: usize) -> &str {
    match text.char_indices().rev().nth(most.saturating_sub(1)) {
        Some((at, _)) => &text[at..],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_compared_is_left_to_its_words() {
        let [near, far, other] = [1, 2, 3].map(Uuid::from_u128);
        let vectors = [(near, vec![2.0, 0.0]), (far, vec![0.0, 1.0]), (other, vec![1.0, 0.0, 0.0])];
        let found = compare(&[1.0, 0.0], &vectors);
        assert_eq!(found, HashMap::from([(near, 1.0), (far, 0.0)]), "of another length is no answer");
    }

    #[test]
    fn the_end_is_what_was_said_last() {
        assert_eq!(end_of("äöü", 2), "öü");
        assert_eq!(end_of("äöü", 9), "äöü");
    }
}
