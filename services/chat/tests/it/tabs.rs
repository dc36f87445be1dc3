//! One user in two tabs: what happens in one between another's reading the path and holding the chat.

use kit::{db::Transaction, testing::eventually};
use proto::billing::v1::Plan;
use uuid::Uuid;

use crate::{
    model::Step,
    support::{House, Reply, Talk, gather, house_with_model, next_text, read, reason},
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

/// Another chat of the same user, with another character.
async fn beside(house: &House, talk: &Talk) -> Talk {
    let character = house.peers.add_character("Isolde Marchetti");
    let chat = house.open(&talk.token, character).await.expect("opened").chat_id;
    Talk { chat, character, ..talk.at(&house.server) }
}

/// Replies of the month.
async fn used(talk: &Talk) -> u32 {
    talk.page().await.usage.expect("told").used
}

/// Waits until so many others want what is held.
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

/// Says something, and looks whether the character has heard all that was shown, in its order, and nothing of `not`.
async fn heard(house: &House, talk: &Talk, words: &str, reply: &'static str, not: &[&str]) -> Reply {
    let shown = talk.page().await.messages;
    house.model.streams(&[Step::Say(reply), Step::Finish]);
    let reply = talk.say(words).await.expect("said");
    let prompt = house.model.last_prompt();
    // The greeting is told with the names filled in.
    let places = shown[1..].iter().map(|message| prompt.rfind(&message.content));
    let places: Vec<usize> =
        places.map(|at| at.unwrap_or_else(|| panic!("not all of it: {prompt}"))).collect();
    assert!(places.is_sorted() && prompt.contains(words), "{prompt}");
    assert!(!not.iter().any(|gone| prompt.contains(gone)), "{prompt}");
    reply
}

#[tokio::test]
async fn the_character_hears_what_is_shown_whichever_process_is_asked() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let replica = house.replica().await;
    let there = talk.at(&replica);
    heard(&house, &talk, "The first wave.", "It breaks.", &[]).await;
    let second = heard(&house, &talk, "A second wave.", "It falls.", &[]).await;
    let third = heard(&house, &there, "Number three.", "It rises.", &[]).await;
    heard(&house, &talk, "Four of them.", "They come in.", &[]).await;

    let third = third.user_message.expect("told").id;
    talk.delete(&third).await.expect("deleted");
    let gone = ["Number three.", "It rises.", "Four of them."];
    let fifth = heard(&house, &talk, "Is that all?", "For now.", &gone).await;
    there.restore(&third).await.expect("restored");
    heard(&house, &there, "They are back.", "So they are.", &["Is that all?"]).await;
    heard(&house, &talk, "All of them.", "Each one.", &["Is that all?"]).await;

    talk.go_to(&fifth.message().id).await.expect("shown");
    house.model.streams(&[Step::Say("Never."), Step::Finish]);
    talk.regenerate(&fifth.message().id).await.expect("another reply");
    heard(&house, &talk, "Never ever?", "Ask the sea.", &["For now.", "Number three."]).await;
    talk.go_to(&second.message().id).await.expect("shown");
    heard(&house, &there, "Then good night.", "Good night.", &[]).await;
}

#[tokio::test]
async fn a_turn_and_a_new_title_are_both_kept() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("Good evening."), Step::Finish]);
    let mut tab = hold(&house, &talk).await;
    let (reply, ()) = tokio::join!(talk.say("Good evening."), async {
        wanted_by(&house, 1).await;
        sqlx::query("update chat set title = 'The lamp room'").execute(&mut *tab).await.expect("renamed");
        tab.commit().await.expect("committed");
    });
    assert_eq!(reply.expect("said").message().content, "Good evening.");
    let page = talk.page().await;
    assert_eq!((page.title.as_str(), page.messages.len()), ("The lamp room", 3));
    assert_eq!(house.model.requests(), 1);
}

#[tokio::test]
async fn of_two_chats_that_want_the_last_reply_of_a_month_one_gets_it() {
    let house = house_with_model().await;
    house.peers.plan(Plan::Premium, 2);
    let talk = house.talk().await;
    let other = beside(&house, &talk).await;
    for _ in 0..2 {
        house.model.streams(&[Step::Say("Of course."), Step::Finish]);
    }
    talk.say("May I?").await.expect("said");

    let mut counting = house.db.pool.begin().await.expect("begun");
    sqlx::query("select from usage for update").execute(&mut *counting).await.expect("held");
    let (one, two, ()) = tokio::join!(talk.say("And now?"), other.say("And you?"), async {
        wanted_by(&house, 2).await;
        counting.commit().await.expect("committed");
    });
    let (said, refused): (Vec<_>, Vec<_>) = [one, two].into_iter().partition(Result::is_ok);
    let refused: Vec<String> = refused.into_iter().filter_map(Result::err).map(|s| reason(&s)).collect();
    assert_eq!((said.len(), refused), (1, vec!["allowance_used".to_owned()]));
    assert_eq!((used(&talk).await, house.model.requests()), (2, 2));
}

#[tokio::test]
async fn one_key_sent_twice_at_once_is_one_turn() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("Once."), Step::Finish]);
    let tab = hold(&house, &talk).await;
    let (one, two, ()) =
        tokio::join!(talk.begin_as("a-key", "Say it."), talk.begin_as("a-key", "Say it."), async {
            wanted_by(&house, 2).await;
            tab.commit().await.expect("committed");
        });
    let (one, two) = (read(one.expect("sent")).await, read(two.expect("joined")).await);
    assert_eq!(one.generation, two.generation);
    assert_eq!((one.text.as_str(), two.text.as_str()), ("Once.", "Once."));
    assert_eq!((talk.page().await.messages.len(), used(&talk).await, house.model.requests()), (3, 1, 1));
}

#[tokio::test]
async fn one_key_sent_to_two_chats_at_once_is_a_turn_in_one_of_them() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let other = beside(&house, &talk).await;
    house.model.streams(&[Step::Say("Once."), Step::Finish]);
    let tab = hold(&house, &talk).await;
    let (late, ()) = tokio::join!(talk.begin_as("a-key", "Say it."), async {
        wanted_by(&house, 1).await;
        let first = read(other.begin_as("a-key", "Say it.").await.expect("sent")).await;
        assert_eq!(first.text, "Once.");
        tab.commit().await.expect("committed");
    });
    assert_eq!(reason(&late.expect_err("refused")), "idempotency_mismatch");
    assert_eq!((talk.page().await.messages.len(), other.page().await.messages.len()), (1, 3));
    assert_eq!((used(&talk).await, house.model.requests()), (1, 1));
}
