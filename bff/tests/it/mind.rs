//! What a character sees, remembers and is told.

use kit::error::Failure;
use proto::chat::v1::{
    AddMemoryRequest, AddMemoryResponse, ChatMemory, CreateLorebookRequest, CreateLorebookResponse,
    GetManifestRequest, GetManifestResponse, ListChatMemoriesResponse, ListMemoriesRequest,
    ListMemoriesResponse, LoreBook, LoreEntry, LoreLogic, Lorebook, Memory, MemoryKind, MemoryScope,
    PromptBlock, PromptEntry, PromptManifest, UpdateMemoryRequest, UpdateMemoryResponse,
};
use reqwest::Method;

use serde_json::json;
use tonic::Status;

use crate::support::{house, json, ok};

fn memory() -> Memory {
    Memory {
        id: "m1".into(),
        character_id: "c1".into(),
        kind: MemoryKind::Summary.into(),
        text: "They met.".into(),
        importance: 3,
        source_ids: vec!["a".into()],
        ..Memory::default()
    }
}

#[tokio::test]
async fn what_the_character_saw_is_shown_block_by_block() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let entry = PromptEntry {
        id: "m1".into(),
        tokens: 9,
        included: true,
        text: "They met.".into(),
        ..Default::default()
    };
    let block = PromptBlock {
        block: "memory".into(),
        tokens: 9,
        included: true,
        parts: Some(1),
        entries: vec![entry],
        ..Default::default()
    };
    let manifest =
        PromptManifest { engine: "improv".into(), budget: 1_500, blocks: vec![block], ..Default::default() };
    house.stage.says("chat.v1.Prompts/GetManifest", GetManifestResponse { manifest: Some(manifest) });
    let shown = ok(house.get("/api/chats/k/messages/m2/manifest").bearer_auth(&ada.token)).await;
    let first = &shown["manifest"]["blocks"][0];
    assert_eq!(
        (&first["block"], &first["why"], &first["dropped"]),
        (&"memory".into(), &json!(null), &json!(null))
    );
    assert_eq!(first["entries"][0]["text"], "They met.");
    let asked: GetManifestRequest = house.stage.call("chat.v1.Prompts/GetManifest").read();
    assert_eq!((asked.chat_id.as_str(), asked.message_id.as_str()), ("k", "m2"));

    house.stage.refuses("chat.v1.Prompts/PreviewPrompt", Status::from(Failure::not_found("chat_not_found")));
    let (status, refused) = json(house.get("/api/chats/k/prompt").bearer_auth(&ada.token)).await;
    assert_eq!((status, &refused["code"]), (404, &"chat_not_found".into()));
}

#[tokio::test]
async fn memories_are_listed_written_and_changed() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house
        .stage
        .says("chat.v1.Memories/ListMemories", ListMemoriesResponse { memories: vec![memory()], page: None });
    let listed = ok(house.get("/api/memories?characterId=c1&page=2").bearer_auth(&ada.token)).await;
    let first = &listed["memories"][0];
    assert_eq!(
        (&first["scope"], &first["kind"], &first["chatId"]),
        (&"character".into(), &"summary".into(), &json!(null))
    );
    let asked: ListMemoriesRequest = house.stage.call("chat.v1.Memories/ListMemories").read();
    assert_eq!((asked.character_id.as_str(), asked.page.expect("asked").page), ("c1", 2));

    let found = ChatMemory { memory: Some(memory()), valid: true, in_prompt: false };
    house.stage.says("chat.v1.Memories/ListChatMemories", ListChatMemoriesResponse { memories: vec![found] });
    let listed = ok(house.get("/api/chats/k/memories").bearer_auth(&ada.token)).await;
    let first = &listed["memories"][0];
    assert_eq!(
        (&first["_id"], &first["valid"], &first["inPrompt"]),
        (&"m1".into(), &json!(true), &json!(false))
    );

    house.stage.says("chat.v1.Memories/AddMemory", AddMemoryResponse { memory: Some(memory()) });
    let fact = json!({ "text": "Gulls.", "pinned": true, "scope": "character" });
    ok(house.post("/api/chats/k/memories", &fact).bearer_auth(&ada.token)).await;
    let asked: AddMemoryRequest = house.stage.call("chat.v1.Memories/AddMemory").read();
    assert_eq!((asked.text.as_str(), asked.pinned, asked.scope()), ("Gulls.", true, MemoryScope::Character));

    house.stage.says("chat.v1.Memories/UpdateMemory", UpdateMemoryResponse { memory: Some(memory()) });
    let change = house.request(Method::PUT, "/api/memories/m1").json(&json!({ "pinned": false }));
    ok(change.bearer_auth(&ada.token)).await;
    let asked: UpdateMemoryRequest = house.stage.call("chat.v1.Memories/UpdateMemory").read();
    assert_eq!((asked.text, asked.pinned, asked.importance), (None, Some(false), None));
}

#[tokio::test]
async fn a_lorebook_is_written_or_imported() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let entry = LoreEntry {
        keys: vec!["gull".into()],
        logic: LoreLogic::NotAll.into(),
        content: "Gulls.".into(),
        ..Default::default()
    };
    let book = LoreBook { scan_depth: 4, entries: vec![entry], ..Default::default() };
    let lorebook = Lorebook {
        id: "l1".into(),
        name: "Coast".into(),
        entry_count: 1,
        book: Some(book),
        ..Default::default()
    };
    house.stage.says(
        "chat.v1.Lorebooks/CreateLorebook",
        CreateLorebookResponse { lorebook: Some(lorebook), skipped: vec!["Bad: no.".into()] },
    );
    let wish = json!({ "name": "Coast", "book": { "entries": [
        { "keys": ["gull"], "content": "Gulls.", "logic": "notAll", "position": "beforeCharacter" } ] } });
    let kept = ok(house.post("/api/lorebooks", &wish).bearer_auth(&ada.token)).await;
    assert_eq!(kept["lorebook"]["book"]["entries"][0]["logic"], "notAll");
    assert_eq!(kept["skipped"][0], "Bad: no.");
    let asked: CreateLorebookRequest = house.stage.call("chat.v1.Lorebooks/CreateLorebook").read();
    let draft = asked.draft.expect("a draft");
    assert!(draft.enabled && asked.import.is_empty());
    let book = draft.book.expect("a book");
    assert_eq!((book.scan_depth, book.entries[0].order), (4, 100));
    assert!(book.entries[0].enabled && book.entries[0].before_character);

    let import = json!({ "import": { "spec": "lorebook_v3", "data": { "entries": [] } } });
    ok(house.post("/api/lorebooks", &import).bearer_auth(&ada.token)).await;
    let asked: CreateLorebookRequest =
        house.stage.calls("chat.v1.Lorebooks/CreateLorebook").last().expect("called").read();
    assert!(asked.import.contains("lorebook_v3"));
}
