//! The routes of the tree, of the list of chats and of chat files.

use futures::{StreamExt as _, stream};
use kit::error::Failure;
use proto::{
    catalog::v1::GetCardsResponse,
    chat::v1::{
        ChatFormat, ChatSummary, DeleteMessageRequest, DeleteMessageResponse, EditAndReplyRequest,
        EditAndReplyResponse, EditMessageRequest, EditMessageResponse, ExportChatRequest, ExportChatResponse,
        ForkChatRequest, ForkChatResponse, GetTreeRequest, GetTreeResponse, Hit, ImportChatRequest,
        ImportChatResponse, ListChatsRequest, ListChatsResponse, Mark, Message, MessageState,
        RegenerateRequest, RegenerateResponse, RestoreChatResponse, SearchMessagesRequest,
        SearchMessagesResponse, Sender, SetLeafRequest, SetLeafResponse, StartChatRequest, StartChatResponse,
        TreeNode, UndoClearResponse, UpdateChatRequest, UpdateChatResponse, regenerate_request::Persona,
    },
};
use reqwest::Method;
use serde_json::json;
use tonic::Code;

use crate::{
    chats::{delta, done, events, message, started},
    lists::card,
    support::{header, house, json, ok},
};

fn line(id: &str, content: &str) -> Message {
    Message {
        siblings: vec!["m0".into(), id.into()],
        variants: 2,
        variant: 2,
        edited: true,
        ..message(id, Sender::User, content, MessageState::Complete)
    }
}

#[tokio::test]
async fn another_reply_streams_and_answers_like_a_message_that_is_sent() {
    let house = house().await;
    let ada = house.sign_in("ada");
    const REGENERATE: &str = "chat.v1.Turns/Regenerate";
    house.stage.streams(REGENERATE, || {
        let told = [started(), delta(2, "Hi"), done("Hi")];
        stream::iter(told.map(|event| Ok(RegenerateResponse { event: Some(event) }))).boxed()
    });
    let post = || {
        house
            .post("/api/chats/k/messages/m2/regenerate", &json!({ "persona": "p1" }))
            .header("idempotency-key", "once")
            .bearer_auth(&ada.token)
    };
    assert_eq!(ok(post()).await["aiMessage"]["content"], "Hi");
    let streamed = post().header("accept", "text/event-stream").send().await.expect("a stream");
    let names: Vec<String> =
        events(&streamed.text().await.expect("an end")).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["start", "delta", "done"]);
    let call = house.stage.calls(REGENERATE).remove(0);
    let asked: RegenerateRequest = call.read();
    assert_eq!((asked.chat_id.as_str(), asked.message_id.as_str()), ("k", "m2"));
    assert_eq!(asked.persona, Some(Persona::PersonaId("p1".into())));
    assert_eq!(call.header("idempotency-key"), Some("once"));

    let many = Failure::new(Code::FailedPrecondition, "too_many_variants", "x");
    house.stage.refuses(REGENERATE, many);
    let (status, body) = json(post()).await;
    assert_eq!((status, body["code"].as_str()), (409, Some("too_many_variants")));
}

#[tokio::test]
async fn an_edit_answers_the_path_or_streams_the_reply() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.on("chat.v1.Tree/EditMessage", |asked: EditMessageRequest| {
        assert_eq!((asked.message_id.as_str(), asked.content.as_str()), ("m1", "Otherwise."));
        let new = line("m3", "Otherwise.");
        Ok(EditMessageResponse { message: Some(new.clone()), messages: vec![new] })
    });
    house.stage.streams("chat.v1.Turns/EditAndReply", || {
        let told = [started(), done("Hi")];
        stream::iter(told.map(|event| Ok(EditAndReplyResponse { event: Some(event) }))).boxed()
    });
    let put =
        |body| house.request(Method::PUT, "/api/chats/k/messages/m1").json(&body).bearer_auth(&ada.token);
    let edited = ok(put(json!({ "content": "Otherwise." }))).await;
    assert_eq!(
        (edited["message"]["edited"].as_bool(), edited["messages"][0]["siblings"].clone()),
        (Some(true), json!(["m0", "m3"]))
    );
    let turn = ok(put(json!({ "content": "Otherwise.", "reply": true, "persona": { "name": "Ada" } }))).await;
    assert_eq!(turn["aiMessage"]["content"], "Hi");
    let asked: EditAndReplyRequest = house.stage.call("chat.v1.Turns/EditAndReply").read();
    assert_eq!((asked.message_id.as_str(), asked.content.as_str()), ("m1", "Otherwise."));
    assert!(asked.persona.is_some());
}

#[tokio::test]
async fn branches_are_shown_taken_away_brought_back_and_forked() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let path = || vec![line("m3", "There.")];
    house.stage.on("chat.v1.Tree/SetLeaf", move |asked: SetLeafRequest| {
        assert_eq!((asked.chat_id.as_str(), asked.message_id.as_str()), ("k", "m1"));
        Ok(SetLeafResponse { messages: path() })
    });
    house.stage.on("chat.v1.Tree/DeleteMessage", move |asked: DeleteMessageRequest| {
        assert_eq!(asked.message_id, "m1");
        Ok(DeleteMessageResponse { messages: path(), deleted: 4, undo_until: None })
    });
    house.stage.says("chat.v1.Tree/UndoClear", UndoClearResponse { messages: path() });
    house.stage.on("chat.v1.Tree/ForkChat", |asked: ForkChatRequest| {
        assert_eq!(asked.message_id, "m1");
        Ok(ForkChatResponse {
            chat_id: "l".into(),
            character_id: "c1".into(),
            title: "Fork of Isolde".into(),
        })
    });
    let leaf = house.request(Method::PUT, "/api/chats/k/leaf").json(&json!({ "messageId": "m1" }));
    assert_eq!(ok(leaf.bearer_auth(&ada.token)).await["messages"][0]["variant"], 2);
    let gone = ok(house.request(Method::DELETE, "/api/chats/k/messages/m1").bearer_auth(&ada.token)).await;
    assert_eq!((gone["deleted"].as_u64(), gone["msg"].as_str()), (Some(4), Some("Message deleted.")));
    let undone = ok(house.post("/api/chats/k/clear/undo", &json!({})).bearer_auth(&ada.token)).await;
    assert_eq!(undone["messages"][0]["content"], "There.");
    let fork = house.post("/api/chats/k/fork", &json!({ "messageId": "m1" })).bearer_auth(&ada.token);
    assert_eq!(
        ok(fork).await,
        json!({ "success": true, "chatId": "l", "characterId": "c1", "title": "Fork of Isolde" })
    );
    house.stage.refuses("chat.v1.Tree/RestoreMessage", Failure::not_found("message_not_found"));
    let (status, body) =
        json(house.post("/api/chats/k/messages/m1/restore", &json!({})).bearer_auth(&ada.token)).await;
    assert_eq!((status, body["code"].as_str()), (404, Some("message_not_found")));
}

#[tokio::test]
async fn the_map_has_every_message_with_its_place() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.on("chat.v1.Tree/GetTree", |asked: GetTreeRequest| {
        assert_eq!((asked.chat_id.as_str(), asked.after.as_str()), ("k", "m0"));
        let node = TreeNode {
            id: "m1".into(),
            parent_id: "m0".into(),
            sender: Sender::User.into(),
            preview: "Hello".into(),
            variants: 1,
            depth: 2,
            ..TreeNode::default()
        };
        Ok(GetTreeResponse { nodes: vec![node], leaf_id: "m1".into(), has_more: false })
    });
    let map = ok(house.get("/api/chats/k/tree?after=m0").bearer_auth(&ada.token)).await;
    assert_eq!((map["leafId"].as_str(), map["hasMore"].as_bool()), (Some("m1"), Some(false)));
    let node = &map["nodes"][0];
    assert_eq!((node["_id"].as_str(), node["parentId"].as_str()), (Some("m1"), Some("m0")));
    assert_eq!((node["senderType"].as_str(), node["depth"].as_u64()), (Some("user"), Some(2)));
}

#[tokio::test]
async fn chats_are_kept_in_order_and_their_messages_found() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.says("catalog.v1.Characters/GetCards", GetCardsResponse { cards: vec![card("c1")] });
    let chat = ChatSummary {
        id: "k".into(),
        character_id: "c1".into(),
        title: "The storm".into(),
        pinned: true,
        ..ChatSummary::default()
    };
    let kept = chat.clone();
    house.stage.on("chat.v1.Shelf/UpdateChat", move |asked: UpdateChatRequest| {
        assert_eq!(
            (asked.title.as_deref(), asked.pinned, asked.archived),
            (Some("The storm"), None, Some(false))
        );
        Ok(UpdateChatResponse { chat: Some(kept.clone()) })
    });
    house.stage.says("chat.v1.Shelf/RestoreChat", RestoreChatResponse { chat: Some(chat) });
    house.stage.on("chat.v1.Chats/ListChats", |asked: ListChatsRequest| {
        assert!(!asked.archived || asked.query == "sto");
        Ok(ListChatsResponse::default())
    });
    house.stage.on("chat.v1.Shelf/StartChat", |asked: StartChatRequest| {
        assert_eq!((asked.character_id.as_str(), asked.greeting), ("c1", 1));
        Ok(StartChatResponse { chat_id: "l".into(), messages: vec![line("m0", "Enter.")] })
    });
    house.stage.on("chat.v1.Shelf/SearchMessages", |asked: SearchMessagesRequest| {
        assert_eq!((asked.query.as_str(), asked.page), ("sea lamp", 2));
        let hit = Hit {
            chat_id: "k".into(),
            message_id: "m1".into(),
            character_id: "c1".into(),
            snippet: "The sea.".into(),
            marks: vec![Mark { start: 4, end: 7 }],
            ..Hit::default()
        };
        Ok(SearchMessagesResponse { hits: vec![hit], has_more: true })
    });
    let put =
        house.request(Method::PUT, "/api/chats/k").json(&json!({ "title": "The storm", "archived": false }));
    let kept = ok(put.bearer_auth(&ada.token)).await;
    assert_eq!(
        (kept["chat"]["title"].as_str(), kept["chat"]["pinned"].as_bool()),
        (Some("The storm"), Some(true))
    );
    assert_eq!(kept["chat"]["character"]["name"], "Isolde");
    ok(house.post("/api/chats/k/restore", &json!({})).bearer_auth(&ada.token)).await;
    assert_eq!(ok(house.get("/api/chats?archived=true&q=sto").bearer_auth(&ada.token)).await, json!([]));
    let begun = house.post("/api/chats", &json!({ "characterId": "c1", "greeting": 1 }));
    assert_eq!(ok(begun.bearer_auth(&ada.token)).await["chatId"], "l");
    let found = ok(house.get("/api/chats/search?q=sea%20lamp&page=2").bearer_auth(&ada.token)).await;
    assert_eq!(found["hasMore"], true);
    assert_eq!(
        (&found["hits"][0]["marks"], found["hits"][0]["character"]["name"].as_str()),
        (&json!([{ "start": 4, "end": 7 }]), Some("Isolde"))
    );
    let (status, _) = json(house.get("/api/chats/search?q=x&page=51").bearer_auth(&ada.token)).await;
    assert_eq!(status, 400);
}

#[tokio::test]
async fn a_chat_goes_out_and_comes_in_as_a_file() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.on("chat.v1.Transfer/ExportChat", |asked: ExportChatRequest| {
        assert_eq!(asked.format(), ChatFormat::Sillytavern);
        Ok(ExportChatResponse {
            content: b"{}\n".to_vec(),
            content_type: "application/x-ndjson".into(),
            file_name: "the-\"storm\"\r\n.jsonl".into(),
        })
    });
    house.stage.on("chat.v1.Transfer/ImportChat", |asked: ImportChatRequest| {
        assert_eq!((asked.character_id.as_str(), asked.file.as_slice()), ("c1", b"{}\n".as_slice()));
        Ok(ImportChatResponse { chat_id: "l".into(), messages: 3, left_out: 1 })
    });
    let get = house.get("/api/chats/k/export?format=sillytavern").bearer_auth(&ada.token);
    let file = get.send().await.expect("a file");
    assert_eq!(header(&file, "content-type"), "application/x-ndjson");
    assert_eq!(header(&file, "content-disposition"), "attachment; filename=\"the-storm.jsonl\"");
    assert_eq!(file.text().await.expect("a body"), "{}\n");

    let send = |texts: &[(&str, &str)], files: &[(&str, &str, &str, &[u8])]| {
        house.form(Method::POST, "/api/chats/import", texts, files).bearer_auth(&ada.token)
    };
    let chat: (&str, &str, &str, &[u8]) = ("file", "chat.jsonl", "application/octet-stream", b"{}\n");
    let back = ok(send(&[("characterId", "c1")], &[chat])).await;
    assert_eq!((back["chatId"].as_str(), back["messages"].as_u64()), (Some("l"), Some(3)));
    let (status, body) = json(send(&[("characterId", "c1")], &[])).await;
    assert_eq!((status, body["fields"]["file"].as_str()), (400, Some("Choose a file.")));
    let large = vec![b' '; 10 * 1024 * 1024 + 1];
    let (status, _) = json(send(&[], &[("file", "chat.jsonl", "text/plain", &large)])).await;
    assert_eq!(status, 413);
}
