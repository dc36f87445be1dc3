//! Chats that go out as files and come in again.

use kit::{
    error::Failure,
    testing::{as_user, as_user_with_key, published},
};
use proto::chat::v1::{
    ChatFormat, ExportChatRequest, ExportChatResponse, ImportChatRequest, ImportChatResponse,
    transfer_client::TransferClient,
};
use proto::events::v1::UserStruck;
use serde_json::{Value, json};
use tonic::Status;

use crate::{
    support::{Talk, house, reason},
    tree::texts,
};

impl Talk {
    async fn file(&self, format: ChatFormat) -> ExportChatResponse {
        let mut client = TransferClient::new(self.channel.clone());
        let request = ExportChatRequest { chat_id: self.chat.clone(), format: format.into() };
        as_user(&self.token, client.export_chat(request)).await.expect("exported").into_inner()
    }

    pub async fn bring_in(&self, key: &str, file: &[u8]) -> Result<ImportChatResponse, Status> {
        let mut client = TransferClient::new(self.channel.clone());
        let request = ImportChatRequest { character_id: self.character.to_string(), file: file.to_vec() };
        Ok(as_user_with_key(&self.token, key, client.import_chat(request)).await?.into_inner())
    }
}

fn lines(file: &ExportChatResponse) -> Vec<Value> {
    let text = std::str::from_utf8(&file.content).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

pub fn file(lines: &[Value]) -> Vec<u8> {
    let header = json!({ "user_name": "Robin", "character_name": "Maren", "chat_metadata": {} });
    let lines: Vec<String> = std::iter::once(&header).chain(lines).map(Value::to_string).collect();
    lines.join("\n").into_bytes()
}

#[tokio::test]
async fn a_chat_goes_out_to_sillytavern_and_comes_in_again_with_its_swipes() {
    let house = house().await;
    let talk = house.talk().await;
    let first = talk.say("Tell me about the sea.").await.expect("sent").message().clone();
    let second = talk.regenerate(&first.id).await.expect("swiped").message().clone();
    talk.regenerate(&first.id).await.expect("swiped");
    talk.go_to(&second.id).await.expect("shown");
    let gone = talk.regenerate(&first.id).await.expect("swiped").message().clone();
    talk.delete(&gone.id).await.expect("deleted");
    talk.go_to(&second.id).await.expect("shown");

    let out = talk.file(ChatFormat::Sillytavern).await;
    assert_eq!(out.file_name, "chat-with-maren-holt.jsonl");
    let all = lines(&out);
    assert_eq!(
        (all[0]["user_name"].as_str(), all[0]["character_name"].as_str()),
        (Some("robin"), Some("Maren Holt"))
    );
    assert_eq!(
        (all[2]["is_user"].as_bool(), all[2]["mes"].as_str()),
        (Some(true), Some("Tell me about the sea."))
    );
    assert_eq!(all[3]["mes"], second.content.as_str());
    assert_eq!((all[3]["swipe_id"].as_u64(), all[3]["swipes"].as_array().map(Vec::len)), (Some(1), Some(3)));
    assert!(!String::from_utf8_lossy(&out.content).contains(&gone.content), "what was deleted stays here");

    let back = talk.bring_in("i1", &out.content).await.expect("imported");
    assert_eq!((back.messages, back.left_out), (3, 0));
    assert_eq!(talk.bring_in("i1", &out.content).await.expect("the same").chat_id, back.chat_id);
    let there = Talk { chat: back.chat_id, ..talk.at(&house.server) };
    assert_eq!(lines(&there.file(ChatFormat::Sillytavern).await)[1..], all[1..]);
    let page = there.part(None, 0).await;
    assert_eq!((page.messages[2].variants, page.messages[2].variant), (3, 2));
    there.say("And the lamp?").await.expect("it goes on from there");
}

#[tokio::test]
async fn a_chat_can_be_read_and_the_whole_tree_taken_along() {
    let house = house().await;
    let talk = house.talk().await;
    let first = talk.say("Tell me about *the sea*.").await.expect("sent").message().clone();
    let second = talk.regenerate(&first.id).await.expect("swiped").message().clone();

    let text = String::from_utf8(talk.file(ChatFormat::Markdown).await.content).expect("text");
    assert!(text.starts_with("# Chat with Maren Holt\n\n**Maren Holt** · 20"), "{text}");
    assert!(text.contains("**robin** · ") && text.contains("Tell me about *the sea*."));
    assert!(text.contains(&second.content) && !text.contains(&first.content), "the path that is shown");

    let tree: Value = serde_json::from_slice(&talk.file(ChatFormat::Json).await.content).expect("JSON");
    assert_eq!(tree["messages"].as_array().map(Vec::len), Some(4));
    assert_eq!(tree["leafId"], second.id.as_str());

    let mut theirs = talk.at(&house.server);
    theirs.token = house.issuer.user("mallory").1;
    let mut client = TransferClient::new(theirs.channel.clone());
    let request = ExportChatRequest { chat_id: talk.chat.clone(), format: ChatFormat::Json.into() };
    let refused = as_user(&theirs.token, client.export_chat(request)).await.expect_err("refused");
    assert_eq!(reason(&refused), "chat_not_found");
}

#[tokio::test]
async fn a_file_that_is_wrong_is_refused_whole_and_says_where() {
    let house = house().await;
    let talk = house.talk().await;
    let refused = talk
        .bring_in("i1", &file(&[json!({ "mes": "Good evening." }), json!({ "name": "x" }), json!(7)]))
        .await
        .expect_err("refused");
    let failure = Failure::from_status(&refused);
    let fields: Vec<&str> = failure.fields.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!((failure.reason.as_str(), fields), ("invalid", vec!["line 3", "line 4"]));
    assert_eq!(failure.fields[0].1, "Line 3 has no text (mes).");

    let refused = talk
        .bring_in(
            "i1",
            &file(&[json!({ "mes": "Good evening." }), json!({ "mes": "Hello.", "is_user": true }), json!({
                "mes": "Well.", "swipes": ["Well.", "She is 15 years old and has sex with him."], "swipe_id": 0
            })]),
        )
        .await
        .expect_err("refused");
    let failure = Failure::from_status(&refused);
    assert_eq!((failure.reason.as_str(), failure.fields[0].0.as_str()), ("moderated", "line 4"));

    let large = vec![b' '; 10 * 1024 * 1024 + 1];
    assert_eq!(reason(&talk.bring_in("i2", &large).await.expect_err("refused")), "too_large");
    let left: i64 =
        sqlx::query_scalar("select count(*) from chat").fetch_one(&house.db.pool).await.expect("counted");
    assert_eq!(left, 1, "nothing is stored");
}

#[tokio::test]
async fn a_file_strikes_once_for_what_the_user_says_in_it() {
    let house = house().await;
    let talk = house.talk().await;
    let told = published(&house.common, &["chat.user.struck"]).await;
    let bad = "She is 15 years old and has sex with him.";
    let by = |is_user: bool| json!({ "mes": bad, "is_user": is_user });
    assert_eq!(reason(&talk.bring_in("i1", &file(&[by(false)])).await.expect_err("refused")), "moderated");
    let refused = talk.bring_in("i2", &file(&[by(false), by(true), by(true)])).await.expect_err("refused");
    assert_eq!(Failure::from_status(&refused).fields.len(), 3);
    let struck = told.wait::<UserStruck>("chat.user.struck", |s| s.user_id == talk.user.to_string()).await;
    assert_eq!(
        (struck.rule.as_str(), struck.object.as_str()),
        ("minor.sexual", "a chat that was brought in")
    );
    assert_eq!(told.all::<UserStruck>("chat.user.struck").len(), 1);
}

#[tokio::test]
async fn words_of_the_user_do_not_stand_first() {
    let house = house().await;
    let talk = house.talk().await;
    let lines = [json!({ "mes": "Is anybody there?", "is_user": true }), json!({ "mes": "I am." })];
    let back = talk.bring_in("i1", &file(&lines)).await.expect("imported");
    let there = Talk { chat: back.chat_id, ..talk.at(&house.server) };
    let page = there.part(None, 0).await;
    assert!(page.messages[0].content.starts_with("*Maren Holt looks up"));
    assert_eq!(texts(&page.messages)[1..], ["Is anybody there?", "I am."]);
}

#[tokio::test]
async fn a_long_chat_comes_in_whole_and_opens_at_its_end() {
    let house = house().await;
    let talk = house.talk().await;
    let lines: Vec<Value> =
        (0..3_000).map(|n| json!({ "mes": format!("Wave {n}."), "is_user": n % 2 == 1 })).collect();
    let back = talk.bring_in("i1", &file(&lines)).await.expect("imported");
    assert_eq!(back.messages, 3_000);
    let there = Talk { chat: back.chat_id, ..talk.at(&house.server) };
    let page = there.part(None, 0).await;
    assert_eq!((page.messages.len(), page.has_earlier), (2_000, true));
    assert_eq!(page.messages[1_999].content, "Wave 2999.");
    let earlier = there.part(Some(&page.messages[0].id), 100).await;
    assert_eq!(earlier.messages[99].content, "Wave 999.");
    let first = there.map("").await.expect("a map").nodes[0].id.clone();
    let shown = there.go_to(&first).await.expect("shown");
    assert_eq!(shown.last().map(|m| m.content.as_str()), Some("Wave 2999."));
}
