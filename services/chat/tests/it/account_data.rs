//! What a user takes along, and what is left of them afterwards.

use kit::testing::{as_user, eventually, publish, published};
use proto::{
    chat::v1::{
        ExportAccountDataRequest, LorebookDraft, MemoryScope, account_data_client::AccountDataClient,
    },
    events::v1::{ErasureDone, UserErased, UserSuspended},
};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    model::Step,
    support::{Talk, house, house_with_model, next_text, reason},
};

async fn export(talk: &Talk) -> Value {
    let mut client = AccountDataClient::new(talk.channel.clone());
    let answer = as_user(&talk.token, client.export_account_data(ExportAccountDataRequest {})).await;
    serde_json::from_str(&answer.expect("exported").into_inner().json).expect("JSON")
}

#[tokio::test]
async fn a_user_takes_every_message_along_and_nobody_elses() {
    let house = house().await;
    let (mine, other) = (house.talk().await, house.talk().await);
    mine.say("The lamp is lit.").await.expect("answered");
    other.say("Somebody else's secret.").await.expect("answered");

    let all = export(&mine).await;
    let chats = all["chats"].as_array().expect("chats");
    assert_eq!(chats.len(), 1);
    let said: Vec<&str> = chats[0]["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .map(|m| m["content"].as_str().expect("text"))
        .collect();
    assert_eq!(said.len(), 3, "greeting, words, reply");
    assert!(said.contains(&"The lamp is lit."));
    assert!(!all.to_string().contains("Somebody else's secret."));
    assert_eq!(chats[0]["replies"].as_array().expect("replies").len(), 1, "with what the character saw");
    assert_eq!(all["usage"].as_array().expect("usage").len(), 2, "of the month and of the day");

    mine.clear().await.expect("cleared");
    let all = export(&mine).await;
    let messages = all["chats"][0]["messages"].as_array().expect("messages");
    assert_eq!(messages.len(), 3, "what was taken away is stored for a day");
    assert_eq!(messages.iter().filter(|m| !m["deletedAt"].is_null()).count(), 2);
}

#[tokio::test]
async fn nothing_is_left_of_a_user_who_is_erased() {
    let house = house().await;
    let (mine, other) = (house.talk().await, house.talk().await);
    mine.say("The lamp is lit.").await.expect("answered");
    other.say("Still here.").await.expect("answered");
    for talk in [&mine, &other] {
        talk.remember("The gulls are loud.", false, MemoryScope::Character).await.expect("kept");
        talk.make(LorebookDraft { name: "Coast".into(), ..Default::default() }, "").await.expect("kept");
    }
    let all = export(&mine).await;
    assert_eq!(all["memories"][0]["text"], "The gulls are loud.");
    assert_eq!(all["lorebooks"][0]["name"], "Coast");
    let user = mine.user;
    let told = published(&house.common, &["chat.user.erased"]).await;
    let erased = UserErased {
        user_id: user.to_string(),
        characters: "remove".into(),
        pseudonym: Uuid::now_v7().to_string(),
    };
    publish(&house.common, "auth.user.erased", &erased).await;
    told.wait::<ErasureDone>("chat.user.erased", |done| done.user_id == user.to_string()).await;

    let all = export(&mine).await;
    for what in ["chats", "usage", "requests", "memories", "lorebooks", "chatSampling", "samplingPresets"] {
        assert_eq!(all[what].as_array().map(Vec::len), Some(0), "{what}");
    }
    let others = export(&other).await;
    for what in ["chats", "memories", "lorebooks"] {
        assert_eq!(others[what].as_array().map(Vec::len), Some(1), "{what}");
    }
    assert_eq!(reason(&mine.begin("Anybody?").await.expect_err("no chat")), "chat_not_found");
}

#[tokio::test]
async fn a_suspension_stops_what_is_being_written() {
    let house = house_with_model().await;
    house
        .model
        .streams(&[Step::Say("First. Second. Third. Fourth, which is a long one. Fifth."), Step::Wait]);
    let talk = house.talk().await;
    let mut events = talk.begin("Go on.").await.expect("begun");
    next_text(&mut events).await;
    let suspended = UserSuspended { user_id: talk.user.to_string(), reason: "tests".into(), version: 2 };
    publish(&house.common, "auth.user.suspended", &suspended).await;
    eventually(|| async { talk.page().await.running_generation_id.is_empty().then_some(()) }).await;
}
