//! One chat in two tabs: what happens in one between another's reading the path and holding the chat.

use kit::{db::Transaction, testing::eventually};
use uuid::Uuid;

use crate::{
    model::Step,
    support::{House, Talk, gather, house_with_model, next_text},
};

/// Holds the chat, as another tab's turn would.
async fn hold(house: &House, talk: &Talk) -> Transaction {
    let mut tx = house.db.pool.begin().await.expect("begun");
    sqlx::query("select from chat where id = $1 for update")
        .bind(Uuid::parse_str(&talk.chat).expect("an id"))
        .execute(&mut *tx)
        .await
        .expect("held");
    tx
}

/// Waits until so many others want it.
async fn wanted_by(house: &House, others: i64) {
    eventually(|| async {
        let waiting: i64 = sqlx::query_scalar(
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
        .fetch_one(&house.db.pool)
        .await
        .expect("counted");
        (waiting == others).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_turn_follows_what_another_tab_shows_by_then() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("It creaks."), Step::Finish]);
    let red = talk.say("I open the red door.").await.expect("said");
    let (said, red) = (red.user_message.clone().expect("the message").id, red.message().id.clone());
    house.model.streams(&[Step::Say("It is locked."), Step::Finish]);
    let blue = talk.edit_and_reply("a-key", &said, "I open the blue door.").await.expect("said");
    assert_ne!(blue.message().id, red);

    let mut tab = hold(&house, &talk).await;
    house.model.streams(&[Step::Say("Dust."), Step::Finish]);
    let (reply, ()) = tokio::join!(talk.say("And behind it?"), async {
        wanted_by(&house, 1).await;
        sqlx::query("update chat set leaf_id = $1")
            .bind(Uuid::parse_str(&red).expect("an id"))
            .execute(&mut *tab)
            .await
            .expect("shown");
        tab.commit().await.expect("committed");
    });
    let reply = reply.expect("said");
    assert_eq!(reply.user_message.expect("the message").parent_id, red);
    let prompt = house.model.last_prompt();
    assert!(prompt.contains("red door") && prompt.contains("It creaks."), "{prompt}");
    assert!(!prompt.contains("blue door"), "{prompt}");
}

#[tokio::test]
async fn a_turn_knows_the_whole_reply_that_ended_while_it_waited() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[
        Step::Say("The lamp turns. "),
        Step::Wait,
        Step::Say("Then it dies."),
        Step::Finish,
    ]);
    let mut first = talk.begin("Look up.").await.expect("sent");
    let (generation, ..) = next_text(&mut first).await;

    let tab = hold(&house, &talk).await;
    house.model.go_on();
    wanted_by(&house, 1).await;
    house.model.streams(&[Step::Say("Nothing."), Step::Finish]);
    let (reply, ()) = tokio::join!(talk.say("What now?"), async {
        wanted_by(&house, 2).await;
        tab.commit().await.expect("committed");
    });
    let first = gather(&talk.watch(&generation, 0).await.expect("watched"));
    let reply = reply.expect("said");
    assert_eq!(reply.user_message.expect("the message").parent_id, first.message().id);
    let prompt = house.model.last_prompt();
    assert!(prompt.contains("The lamp turns. Then it dies."), "{prompt}");
}
