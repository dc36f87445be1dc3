//! What characters remember, and what they must not.

use std::collections::HashMap;

use kit::testing::{TestServer, as_user, eventually};
use proto::{
    billing::v1::Plan,
    chat::v1::{
        AddMemoryRequest, ChatMemory, DeleteMemoryRequest, GetManifestRequest, ListChatMemoriesRequest,
        ListMemoriesRequest, Memory, MemoryKind, MemoryScope, PreviewPromptRequest, PromptManifest,
        UpdateMemoryRequest, memories_client::MemoriesClient, prompts_client::PromptsClient,
    },
};
use tonic::Status;
use uuid::Uuid;

use crate::{
    model::Step,
    support::{House, Talk, house, reason},
    transfer::file,
};

/// What must not come back: said once, early.
const SECRET: &str = "The heliotrope ring lies hidden under the third floorboard of the lamp room.";

impl Talk {
    pub fn memories(&self) -> MemoriesClient<kit::client::Channel> {
        MemoriesClient::new(self.channel.clone())
    }

    async fn remembered(&self) -> Vec<ChatMemory> {
        let request = ListChatMemoriesRequest { chat_id: self.chat.clone() };
        let answer = as_user(&self.token, self.memories().list_chat_memories(request)).await;
        answer.expect("listed").into_inner().memories
    }

    pub async fn remember(&self, text: &str, pinned: bool, scope: MemoryScope) -> Result<Memory, Status> {
        let chat_id = self.chat.clone();
        let request = AddMemoryRequest { chat_id, text: text.into(), pinned, scope: scope.into() };
        let answer = as_user(&self.token, self.memories().add_memory(request)).await?;
        Ok(answer.into_inner().memory.expect("kept"))
    }

    pub async fn manifest(&self, message: &str) -> Result<PromptManifest, Status> {
        let mut client = PromptsClient::new(self.channel.clone());
        let request = GetManifestRequest { chat_id: self.chat.clone(), message_id: message.into() };
        Ok(as_user(&self.token, client.get_manifest(request)).await?.into_inner().manifest.expect("told"))
    }

    pub async fn preview(&self) -> Result<PromptManifest, Status> {
        let mut client = PromptsClient::new(self.channel.clone());
        let request = PreviewPromptRequest { chat_id: self.chat.clone(), persona_id: None };
        Ok(as_user(&self.token, client.preview_prompt(request)).await?.into_inner().manifest.expect("told"))
    }
}

/// A long talk whose first words are the secret, and a summary of it.
async fn long_talk(house: &House) -> Talk {
    house.peers.plan(Plan::Premium, 10_000);
    let talk = house.talk().await;
    // Said again and again, as what matters is: the replies differ from chat to chat, and a summary of some had no room for
    // what was said twice.
    for _ in 0..3 {
        talk.say(SECRET).await.expect("answered");
    }
    talk.say("Nobody but us knows of the heliotrope ring under that floorboard.").await.expect("answered");
    for n in 0..14 {
        talk.say(&format!("And what about number {n}?")).await.expect("answered");
    }
    eventually(|| async {
        talk.remembered()
            .await
            .iter()
            .any(|found| found.valid && told(found).contains("heliotrope"))
            .then_some(())
    })
    .await;
    talk
}

fn told(found: &ChatMemory) -> &str {
    &found.memory.as_ref().expect("a memory").text
}

/// The same talk at a process with a model that reads few tokens, so that the beginning is out of its sight.
async fn at_a_model(house: &House) -> TestServer {
    let url = house.model.url.clone();
    house
        .with_engine(|engine| {
            engine.llm_base_url = url;
            engine.llm_context_tokens = 1_200;
        })
        .await
}

/// What the model reads when the user says something.
pub async fn prompt_of(house: &House, talk: &Talk, words: &str) -> String {
    house.model.streams(&[Step::Say("So it is."), Step::Finish]);
    talk.say(words).await.expect("answered");
    house.model.last_prompt()
}

#[tokio::test]
async fn what_left_the_window_is_remembered_and_comes_back_when_it_is_spoken_of() {
    let house = house().await;
    let talk = long_talk(&house).await;
    let server = at_a_model(&house).await;
    let there = talk.at(&server);
    let prompt = prompt_of(&house, &there, "What was under that floorboard?").await;
    assert!(!prompt.contains(SECRET) || prompt.contains("remembers:"), "the message itself is out of sight");
    assert!(prompt.contains("heliotrope"), "{prompt}");

    let reply = there.page().await.messages.pop().expect("a reply");
    let manifest = there.manifest(&reply.id).await.expect("shown");
    let entry = manifest.blocks.iter().flat_map(|block| &block.entries).find(|entry| entry.included);
    assert!(entry.expect("a memory").text.contains("heliotrope"), "{manifest:#?}");
    let summary = there.remembered().await.into_iter().find(|found| told(found).contains("heliotrope"));
    let summary = summary.expect("kept");
    assert!(summary.valid && summary.in_prompt);
    let memory = summary.memory.expect("there");
    assert_eq!((memory.kind(), memory.source_ids.len()), (MemoryKind::Summary, 20));
}

#[tokio::test]
async fn what_was_swiped_away_never_comes_back_through_memory() {
    let house = house().await;
    let talk = long_talk(&house).await;
    let server = at_a_model(&house).await;
    let there = talk.at(&server);
    let messages = talk.page().await.messages;
    let chat = Uuid::try_parse(&talk.chat).expect("an id");
    let go_to = async |message: &str| {
        sqlx::query("update chat set leaf_id = $2 where id = $1")
            .bind(chat)
            .bind(Uuid::try_parse(message).expect("an id"))
            .execute(&house.db.pool)
            .await
            .expect("moved");
    };
    // Another branch, below the greeting.
    go_to(&messages[0].id).await;
    let prompt = prompt_of(&house, &there, "What was under that floorboard?").await;
    assert!(!prompt.contains("heliotrope"), "{prompt}");
    let found = there.remembered().await;
    assert!(
        found.iter().any(|found| !found.valid && !found.in_prompt),
        "shown, and said to be of another branch"
    );

    // Back on the branch that has all of it, it is remembered again.
    go_to(&messages.last().expect("a message").id).await;
    let prompt = prompt_of(&house, &there, "What was under that floorboard?").await;
    assert!(prompt.contains("heliotrope"), "{prompt}");
}

#[tokio::test]
async fn what_was_cleared_or_deleted_never_comes_back_through_memory() {
    let house = house().await;
    let talk = long_talk(&house).await;
    let server = at_a_model(&house).await;
    let there = talk.at(&server);
    let message = talk.page().await.messages[1].id.clone();
    there.delete(&message).await.expect("deleted");
    let prompt = prompt_of(&house, &there, "What was under that floorboard?").await;
    assert!(!prompt.contains("heliotrope"), "taken away, though it can come back: {prompt}");

    // Gone for good, it takes along what was made of it.
    sqlx::query("update removal set at = at - interval '25 hours'")
        .execute(&house.db.pool)
        .await
        .expect("a day later");
    let _replica = house.replica().await;
    kit::testing::eventually(|| async {
        let about = "select count(*) from memory where text like '%heliotrope%'";
        let left: i64 = sqlx::query_scalar(about).fetch_one(&house.db.pool).await.expect("counted");
        (left == 0).then_some(())
    })
    .await;
    there.clear().await.expect("cleared");
    let prompt = prompt_of(&house, &there, "What was under that floorboard?").await;
    assert!(!prompt.contains("heliotrope"), "{prompt}");
    assert!(there.remembered().await.iter().all(|found| !found.valid || !told(found).contains("heliotrope")));
}

#[tokio::test]
async fn facts_are_written_pinned_changed_and_forgotten_by_their_owner_alone() {
    let house = house().await;
    let server = at_a_model(&house).await;
    let talk = house.talk().await.at(&server);
    let fact = talk.remember("Robin is afraid of gulls.", true, MemoryScope::Chat).await.expect("kept");
    assert_eq!(
        (fact.kind(), fact.pinned, fact.chat_id.as_str()),
        (MemoryKind::Fact, true, talk.chat.as_str())
    );
    let prompt = prompt_of(&house, &talk, "Good evening.").await;
    assert!(prompt.contains("Robin is afraid of gulls."), "{prompt}");

    let change = |text: Option<&str>, importance| UpdateMemoryRequest {
        id: fact.id.clone(),
        text: text.map(str::to_owned),
        pinned: None,
        importance,
    };
    let wish = change(Some("Robin likes gulls."), Some(5));
    let changed = as_user(&talk.token, talk.memories().update_memory(wish)).await;
    let changed = changed.expect("changed").into_inner().memory.expect("kept");
    assert_eq!((changed.text.as_str(), changed.importance, changed.pinned), ("Robin likes gulls.", 5, true));
    let prompt = prompt_of(&house, &talk, "And now?").await;
    assert!(prompt.contains("Robin likes gulls.") && !prompt.contains("afraid of gulls"));
    let long = "x".repeat(1_001);
    for wrong in [change(None, Some(6)), change(Some(" "), None), change(Some(&long), None)] {
        let refused = as_user(&talk.token, talk.memories().update_memory(wrong)).await.expect_err("refused");
        assert_eq!(reason(&refused), "invalid");
    }

    // Somebody else finds nothing.
    let (_, other) = house.issuer.user("eve");
    let theirs = as_user(&other, talk.memories().update_memory(change(None, Some(1)))).await;
    assert_eq!(reason(&theirs.expect_err("refused")), "memory_not_found");
    let request = DeleteMemoryRequest { id: fact.id.clone() };
    let theirs = as_user(&other, talk.memories().delete_memory(request.clone())).await;
    assert_eq!(reason(&theirs.expect_err("refused")), "memory_not_found");
    let request_list = ListChatMemoriesRequest { chat_id: talk.chat.clone() };
    let theirs = as_user(&other, talk.memories().list_chat_memories(request_list)).await;
    assert_eq!(reason(&theirs.expect_err("refused")), "chat_not_found");

    // One for every chat with the character is listed under the profile as well.
    talk.remember("Maren owes Robin a lamp.", false, MemoryScope::Character).await.expect("kept");
    let list = ListMemoriesRequest { character_id: talk.character.to_string(), page: None };
    let found = as_user(&talk.token, talk.memories().list_memories(list.clone())).await.expect("listed");
    let found = found.into_inner();
    assert_eq!(found.page.expect("told").total, 2);
    assert_eq!(
        (found.memories[0].text.as_str(), found.memories[0].chat_id.as_str()),
        ("Maren owes Robin a lamp.", "")
    );
    let theirs = as_user(&other, talk.memories().list_memories(list)).await.expect("listed").into_inner();
    assert!(theirs.memories.is_empty());

    as_user(&talk.token, talk.memories().delete_memory(request.clone())).await.expect("forgotten");
    let again = as_user(&talk.token, talk.memories().delete_memory(request)).await;
    assert_eq!(reason(&again.expect_err("gone")), "memory_not_found");
    let prompt = prompt_of(&house, &talk, "Still there?").await;
    assert!(!prompt.contains("Robin likes gulls."));
}

#[tokio::test]
async fn a_fork_remembers_what_is_on_its_path_and_nothing_else() {
    let house = house().await;
    let talk = long_talk(&house).await;
    talk.remember("Robin is afraid of gulls.", false, MemoryScope::Chat).await.expect("kept");
    let chat = Uuid::try_parse(&talk.chat).expect("an id");
    let path: Vec<Uuid> =
        talk.page().await.messages.iter().map(|m| Uuid::try_parse(&m.id).expect("an id")).collect();
    let copied = async |length: usize| {
        let fork = Uuid::now_v7();
        let copies: HashMap<Uuid, Uuid> = path.iter().take(length).map(|id| (*id, Uuid::now_v7())).collect();
        let mut tx = house.db.pool.begin().await.expect("begun");
        sqlx::query(
            "insert into chat (id, user_id, character_id, character_name)
             select $2, user_id, character_id, character_name from chat where id = $1",
        )
        .bind(chat)
        .bind(fork)
        .execute(&mut *tx)
        .await
        .expect("forked");
        chat::memories::store::copy_for_fork(&mut tx, chat, fork, &copies).await.expect("copied");
        let found: Vec<(String, Vec<Uuid>)> =
            sqlx::query_as("select text, sources from memory where chat_id = $1 order by created_at")
                .bind(fork)
                .fetch_all(&mut *tx)
                .await
                .expect("read");
        tx.commit().await.expect("kept");
        (found, copies)
    };
    let (long, copies) = copied(25).await;
    assert_eq!(long.len(), 2, "the summary and the fact");
    assert!(long[0].0.contains("heliotrope"));
    let expected: Vec<Uuid> = path[..20].iter().map(|id| copies[id]).collect();
    assert_eq!(long[0].1, expected, "of its own messages, in their order");
    let (short, _) = copied(5).await;
    assert_eq!(short.len(), 1);
    assert_eq!(short[0].0, "Robin is afraid of gulls.");
}

#[tokio::test]
async fn a_summary_that_was_forgotten_is_not_made_again() {
    let house = house().await;
    let talk = long_talk(&house).await;
    let summary = talk.remembered().await.into_iter().find(|found| told(found).contains("heliotrope"));
    let request = DeleteMemoryRequest { id: summary.expect("kept").memory.expect("there").id };
    as_user(&talk.token, talk.memories().delete_memory(request)).await.expect("forgotten");
    talk.say("Go on.").await.expect("answered");
    // Nothing waits to be summarised.
    eventually(|| async {
        let jobs: i64 = sqlx::query_scalar("select count(*) from memory_job")
            .fetch_one(&house.db.pool)
            .await
            .expect("counted");
        (jobs == 0).then_some(())
    })
    .await;
    assert!(talk.remembered().await.iter().all(|found| !told(found).contains("heliotrope")));
}

#[tokio::test]
async fn a_summary_that_was_forgotten_comes_back_as_what_it_was() {
    let house = house().await;
    let talk = long_talk(&house).await;
    let summary = talk.remembered().await.into_iter().find(|found| told(found).contains("heliotrope"));
    let before = summary.expect("kept").memory.expect("there");
    let request = DeleteMemoryRequest { id: before.id.clone() };
    as_user(&talk.token, talk.memories().delete_memory(request)).await.expect("forgotten");

    let write = |text: Option<&str>| UpdateMemoryRequest {
        id: before.id.clone(),
        text: text.map(str::to_owned),
        pinned: Some(before.pinned),
        importance: None,
    };
    // Without its words there is nothing to bring back, and nobody else can.
    let bare = as_user(&talk.token, talk.memories().update_memory(write(None))).await;
    assert_eq!(reason(&bare.expect_err("gone")), "memory_not_found");
    let (_, other) = house.issuer.user("eve");
    let theirs = as_user(&other, talk.memories().update_memory(write(Some(&before.text)))).await;
    assert_eq!(reason(&theirs.expect_err("refused")), "memory_not_found");

    let back = as_user(&talk.token, talk.memories().update_memory(write(Some(&before.text)))).await;
    assert_eq!(back.expect("brought back").into_inner().memory.as_ref(), Some(&before));
    let found = talk.remembered().await.into_iter().find(|found| found.memory.as_ref() == Some(&before));
    assert!(found.expect("listed").valid);
}

#[tokio::test]
async fn the_owner_sees_what_the_character_sees() {
    let house = house().await;
    let talk = house.talk().await;
    let reply = talk.say("Hello.").await.expect("answered");
    let manifest = talk.manifest(&reply.message().id).await.expect("shown");
    assert_eq!((manifest.engine.as_str(), manifest.estimated), ("improv", true));
    let names: Vec<&str> = manifest.blocks.iter().map(|block| block.block.as_str()).collect();
    assert!(names.starts_with(&["system", "description"]) && names.contains(&"history"), "{names:?}");
    let told: u32 = manifest.blocks.iter().map(|block| block.tokens).sum();
    assert!(manifest.tokens >= told && manifest.tokens <= manifest.budget);

    let preview = talk.preview().await.expect("shown");
    let history = preview.blocks.iter().find(|block| block.block == "history").expect("told");
    assert_eq!((history.parts, history.dropped), (Some(3), Some(0)));
    assert!(preview.prefix_tokens.is_some_and(|tokens| tokens > 0));
    assert_eq!(talk.page().await.messages.len(), 3, "nothing was sent");

    let greeting = talk.page().await.messages[0].id.clone();
    assert_eq!(reason(&talk.manifest(&greeting).await.expect_err("refused")), "manifest_not_found");
    let (user, token) = house.issuer.user("eve");
    let other = Talk { user, token, ..talk.at(&house.server) };
    assert_eq!(reason(&other.manifest(&reply.message().id).await.expect_err("refused")), "chat_not_found");
    assert_eq!(reason(&other.preview().await.expect_err("refused")), "chat_not_found");
}

#[tokio::test]
async fn a_chat_longer_than_what_is_read_of_it_is_remembered_from_its_first_word() {
    let house = house().await;
    house.peers.plan(Plan::Premium, 10_000);
    let talk = house.talk().await;
    let line = |n: usize| {
        let said =
            if n == 1 { SECRET.to_owned() } else { format!("The tide took boat {n} from the harbour.") };
        serde_json::json!({ "mes": said, "is_user": n % 2 == 1 })
    };
    let lines: Vec<serde_json::Value> = (0..2_100).map(line).collect();
    let back = talk.bring_in("i1", &file(&lines)).await.expect("imported");
    let there = Talk { chat: back.chat_id, ..talk.at(&house.server) };
    let first = there.map("").await.expect("a map").nodes[0].id.clone();
    there.say("And then?").await.expect("answered");
    let of = async |message: &str| {
        let found = there.remembered().await;
        found
            .into_iter()
            .find(|found| found.memory.iter().any(|m| m.source_ids.contains(&message.to_owned())))
    };
    let holds = async || of(&first).await.map(|found| found.valid);
    assert!(eventually(&holds).await);
    let end = there.page().await.messages[1_900].id.clone();
    eventually(|| of(&end)).await;
    there.say("And after that?").await.expect("answered");
    assert_eq!(holds().await, Some(true));

    // Summaries that were made before they stood in a row hold as well, and are put into one.
    let chat = Uuid::try_parse(&there.chat).expect("an id");
    let loose = async || -> i64 {
        let loose = "select count(*) from memory where chat_id = $1 and since_id is null";
        sqlx::query_scalar(loose).bind(chat).fetch_one(&house.db.pool).await.expect("counted")
    };
    assert_eq!(loose().await, 0);
    sqlx::query("update memory set since_id = null where chat_id = $1")
        .bind(chat)
        .execute(&house.db.pool)
        .await
        .expect("as they were");
    there.say("And then again?").await.expect("answered");
    assert_eq!(holds().await, Some(true));
    chat::memories::jobs::wake(&house.db.pool, chat).await.expect("woken");
    eventually(async || (loose().await == 0).then_some(())).await;
    assert_eq!(holds().await, Some(true));

    // Where the talk goes another way, the first ones hold and the last ones do not.
    let early = there.map("").await.expect("a map").nodes[30].id.clone();
    sqlx::query("update chat set leaf_id = $2 where id = $1")
        .bind(chat)
        .bind(Uuid::try_parse(&early).expect("an id"))
        .execute(&house.db.pool)
        .await
        .expect("moved");
    assert_eq!(holds().await, Some(true));
    assert_eq!(of(&end).await.map(|found| found.valid), Some(false));
}

#[tokio::test]
async fn what_a_deleted_chat_remembers_is_not_listed() {
    let house = house().await;
    let talk = house.talk().await;
    talk.remember("Robin is afraid of gulls.", false, MemoryScope::Chat).await.expect("kept");
    talk.remember("Maren owes Robin a lamp.", false, MemoryScope::Character).await.expect("kept");
    let listed = async || {
        let list = ListMemoriesRequest { character_id: String::new(), page: None };
        let found = as_user(&talk.token, talk.memories().list_memories(list)).await.expect("listed");
        let found = found.into_inner();
        (found.page.expect("told").total, found.memories.len())
    };
    assert_eq!(listed().await, (2, 2));
    talk.put_away().await.expect("deleted");
    assert_eq!(listed().await, (1, 1));
    assert_eq!(reason(&talk.sampling().await.expect_err("deleted")), "chat_not_found");
}
