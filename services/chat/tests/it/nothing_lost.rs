//! Whatever is done to a chat, in whatever order: what was not deleted is there, and the tree is one.

use std::collections::{HashMap, HashSet};

use proptest::{
    prelude::*,
    strategy::ValueTree,
    test_runner::{Config, TestRunner},
};
use tonic::Status;

use crate::support::{House, Talk, house, reason};

/// What somebody does; the index picks a message among those that were ever there.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Say,
    GoOn,
    Regenerate(prop::sample::Index),
    Edit(prop::sample::Index, u8),
    Delete(prop::sample::Index),
    Restore(prop::sample::Index),
    GoTo(prop::sample::Index),
    Branch(prop::sample::Index),
    Clear,
    UndoClear,
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let at = any::<prop::sample::Index>;
    let deed = prop_oneof![
        3 => Just(Deed::Say),
        1 => Just(Deed::GoOn),
        3 => at().prop_map(Deed::Regenerate),
        2 => (at(), any::<u8>()).prop_map(|(at, n)| Deed::Edit(at, n)),
        2 => at().prop_map(Deed::Delete),
        2 => at().prop_map(Deed::Restore),
        2 => at().prop_map(Deed::GoTo),
        2 => at().prop_map(Deed::Branch),
        1 => Just(Deed::Clear),
        1 => Just(Deed::UndoClear),
    ];
    proptest::collection::vec(deed, 1..30)
}

/// All that was ever there, and how it read.
#[derive(Default)]
struct Known(HashMap<String, String>);

impl Known {
    /// Learns what the database has; what was there before has to be there still, in the same words.
    async fn learn(&mut self, house: &House, talk: &Talk) {
        let rows: Vec<(uuid::Uuid, String)> =
            sqlx::query_as("select id, content from message where chat_id = $1::uuid")
                .bind(uuid::Uuid::try_parse(&talk.chat).expect("an id"))
                .fetch_all(&house.db.pool)
                .await
                .expect("read");
        let now: HashMap<String, String> =
            rows.into_iter().map(|(id, text)| (id.to_string(), text)).collect();
        for (id, text) in &self.0 {
            assert_eq!(now.get(id), Some(text), "nothing is overwritten or lost");
        }
        self.0 = now;
    }

    fn pick(&self, at: prop::sample::Index) -> String {
        let mut ids: Vec<&String> = self.0.keys().collect();
        ids.sort();
        at.get(&ids).to_string()
    }
}

/// What may be refused: things that are not there (any more), and greetings.
fn fine<T>(result: Result<T, Status>) {
    if let Err(status) = result {
        let reason = reason(&status);
        let known = [
            "message_not_found",
            "greeting_stays",
            "nothing_to_undo",
            "too_many_variants",
            "subscribe_required",
        ];
        assert!(known.contains(&reason.as_str()), "{reason}: {status:?}");
    }
}

async fn act(talk: &Talk, known: &Known, deed: Deed) {
    match deed {
        Deed::Say => fine(talk.say("Tell me about the sea.").await),
        Deed::GoOn => fine(talk.go_on().await),
        Deed::Regenerate(at) => fine(talk.regenerate(&known.pick(at)).await),
        Deed::Edit(at, n) => fine(talk.edit(&known.pick(at), &format!("Otherwise, number {n}.")).await),
        Deed::Delete(at) => fine(talk.delete(&known.pick(at)).await),
        Deed::Restore(at) => fine(talk.restore(&known.pick(at)).await),
        Deed::GoTo(at) => fine(talk.go_to(&known.pick(at)).await),
        Deed::Branch(at) => {
            let mut request = talk.request(crate::support::says("And the lamp?"));
            request.parent_id = Some(known.pick(at));
            match talk.begin_with(request).await {
                Ok(events) => drop(crate::support::read(events).await),
                Err(status) => fine::<()>(Err(status)),
            }
        }
        Deed::Clear => fine(talk.clear().await),
        Deed::UndoClear => fine(talk.undo_clear().await),
    }
}

/// Every live message is on the map, below one that is there; the path that is shown is one of the tree.
async fn check(house: &House, talk: &Talk) {
    let map = talk.map("").await.expect("a map");
    let live: Vec<uuid::Uuid> =
        sqlx::query_scalar("select id from message where chat_id = $1 and deleted_at is null")
            .bind(uuid::Uuid::try_parse(&talk.chat).expect("an id"))
            .fetch_all(&house.db.pool)
            .await
            .expect("read");
    assert_eq!(map.nodes.len(), live.len());
    let mut seen: HashSet<&str> = HashSet::new();
    for node in &map.nodes {
        assert!(
            node.parent_id.is_empty() || seen.contains(node.parent_id.as_str()),
            "a live one hangs in the air"
        );
        seen.insert(&node.id);
    }
    assert!(seen.contains(map.leaf_id.as_str()), "the leaf was taken away");

    let path = talk.page().await.messages;
    assert_eq!(path.last().map(|m| m.id.as_str()), Some(map.leaf_id.as_str()));
    for (message, next) in path.iter().zip(&path[1..]) {
        assert_eq!(next.parent_id, message.id);
    }
    for message in &path {
        assert!(message.siblings.iter().all(|id| seen.contains(id.as_str())), "a version that is gone");
        assert_eq!(message.siblings[message.variant as usize - 1], message.id);
    }
}

#[tokio::test]
async fn nothing_is_lost_whatever_is_done_in_whatever_order() {
    let house = house().await;
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    for _ in 0..8 {
        let deeds = deeds().new_tree(&mut runner).expect("deeds").current();
        let talk = house.talk().await;
        let mut known = Known::default();
        known.learn(&house, &talk).await;
        for (at, deed) in deeds.iter().enumerate() {
            act(&talk, &known, *deed).await;
            talk.settled().await;
            known.learn(&house, &talk).await;
            check(&house, &talk).await;
            assert!(known.0.len() <= 2 + 4 * (at + 1), "{deeds:?}");
        }
    }
}
