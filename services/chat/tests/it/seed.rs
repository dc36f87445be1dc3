use chat::seed::Seed;
use kit::testing::channel;
use proto::billing::v1::Plan;

use crate::{
    model::Step,
    support::{Talk, house, house_with_model},
};

#[tokio::test]
async fn a_long_chat_is_read_and_goes_on_and_is_written_once() {
    let house = house().await;
    let character = house.peers.add_character("Vesper Lang");
    let (user, token) = house.issuer.user("ada");
    let seed = Seed::new(house.db.target(), user, character, 2_000);
    let chat = seed.run().await.expect("written").to_string();
    assert_eq!(seed.run().await.expect("again").to_string(), chat, "nothing to do");

    let opened = house.open(&token, character).await.expect("opened");
    assert_eq!(opened.chat_id, chat);
    let last = opened.messages.last().expect("messages");
    assert!(last.content.ends_with("(2000)"), "the end of it: {}", last.content);
}

#[tokio::test]
async fn a_model_reads_the_same_of_a_long_chat_whether_it_was_kept_or_read() {
    let house = house_with_model().await;
    let character = house.peers.add_character("Vesper Lang");
    let (user, token) = house.issuer.user("ada");
    house.peers.plan(Plan::Deluxe, 10_000);
    // About as much as is read for a prompt, and far more.
    for messages in [300, 1_000] {
        let seed = Seed::new(house.db.target(), user, character, messages);
        let chat = seed.run().await.expect("written").to_string();
        // Nobody summarises it meanwhile, or another prompt would tell of that.
        sqlx::query("insert into memory_job (chat_id, due_at) values ($1::uuid, now() + interval '1 day')")
            .bind(&chat)
            .execute(&house.db.pool)
            .await
            .expect("put off");
        let talk = Talk { user, token: token.clone(), chat, character, channel: channel(&house.server.url) };
        let answers = || house.model.streams(&[Step::Say("So it is."), Step::Finish]);
        answers();
        talk.say("And then?").await.expect("answered");
        answers();
        let reply = talk.say("And after that?").await.expect("answered");
        let kept = house.model.last_prompt();
        // Another reply to the same words, for which another process reads all of it.
        let replica = house.replica().await;
        answers();
        talk.at(&replica).regenerate(&reply.message().id).await.expect("another reply");
        assert_eq!(house.model.last_prompt(), kept);
        assert!(kept.contains("And then?") && kept.matches("assistant").count() > 20, "{kept}");
    }
}
