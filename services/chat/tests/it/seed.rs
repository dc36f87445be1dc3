use chat::seed::Seed;

use crate::support::house;

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
