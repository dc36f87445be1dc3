use kit::testing::{as_user, channel, published};
use proto::{
    chat::v1::{
        InlinePersona, ListChatsRequest, MessageState, Sender, chats_client::ChatsClient,
        send_request::Persona,
    },
    events::v1::ActivityRecorded,
};

use crate::model::Step;
use crate::support::{house, house_with_model, read, reason, says};

#[tokio::test]
async fn a_chat_opens_with_the_greeting_and_is_the_same_one_the_next_time() {
    let house = house().await;
    let character = house.peers.add_character("Maren Holt");
    let (_, token) = house.issuer.user("robin");
    let (one, two) = tokio::join!(house.open(&token, character), house.open(&token, character));
    let (one, two) = (one.expect("opened"), two.expect("opened"));
    assert_eq!(one.chat_id, two.chat_id, "two tabs open one chat");

    let [greeting] = one.messages.as_slice() else { panic!("one message: {:?}", one.messages) };
    assert_eq!(
        greeting.content,
        "*Maren Holt looks up from the log.* \"You came, robin. Sit by the stove.\""
    );
    assert_eq!((greeting.sender(), greeting.state()), (Sender::Character, MessageState::Complete));
    assert_eq!((greeting.parent_id.as_str(), greeting.variants, greeting.variant), ("", 1, 1));
    assert_eq!(one.character.expect("a card").name, "Maren Holt");
    assert!(one.scenario.starts_with("The lamp room"));
    assert_eq!((one.engine.as_str(), one.engine_offline), ("improv", true));
    assert!(one.running_generation_id.is_empty());
    let usage = one.usage.expect("told");
    assert_eq!((usage.used, usage.limit, usage.path_messages, usage.free_limit), (0, None, 1, Some(20)));
}

#[tokio::test]
async fn a_turn_is_stored_streamed_and_there_after_a_reload() {
    let house = house().await;
    let talk = house.talk().await;
    let server = house.with_engine(|e| e.improv_pace_ms = 3).await;
    let talk = talk.at(&server);
    let reply = talk.say("Hello! I'm Wren. What do you do up here?").await.expect("sent");
    assert!(reply.pieces > 1, "it streams");
    let said = reply.user_message.as_ref().expect("told at the start");
    assert_eq!(said.content, "Hello! I'm Wren. What do you do up here?");
    let message = reply.message();
    assert_eq!(message.content, reply.text, "what was streamed is what is kept");
    assert_eq!((message.state(), message.engine.as_str()), (MessageState::Complete, "improv"));
    assert_eq!(message.parent_id, said.id);
    assert!(message.content.contains("Wren"), "{}", message.content);

    let page = talk.page().await;
    let ids: Vec<&str> = page.messages.iter().map(|m| m.id.as_str()).collect();
    assert_eq!(ids[1..], [said.id.as_str(), message.id.as_str()]);
    assert_eq!(page.messages[2].content, reply.text);
    let usage = page.usage.expect("told");
    assert_eq!((usage.used, usage.path_messages), (1, 3));
}

#[tokio::test]
async fn going_on_adds_to_the_path_without_words_of_the_user() {
    let house = house().await;
    let talk = house.talk().await;
    let first = talk.say("Tell me about the sea.").await.expect("sent");
    let more = talk.go_on().await.expect("sent");
    assert!(more.user_message.is_none());
    assert_eq!(more.message().parent_id, first.message().id);
    assert_ne!(more.text, first.text);
    assert_eq!(talk.page().await.messages.len(), 4);
}

#[tokio::test]
async fn the_list_has_the_latest_chat_first_with_its_last_words() {
    let house = house().await;
    let talk = house.talk().await;
    let other = house.peers.add_character("Isolde");
    house.open(&talk.token, other).await.expect("opened");
    let reply = talk.say("Good evening.").await.expect("sent");

    let mut client = ChatsClient::new(channel(&house.server.url));
    let chats = as_user(&talk.token, client.list_chats(ListChatsRequest::default()))
        .await
        .expect("listed")
        .into_inner()
        .chats;
    let names: Vec<&str> = chats.iter().map(|c| c.character_name.as_str()).collect();
    assert_eq!(names, ["Maren Holt", "Isolde"]);
    assert!(reply.text.starts_with(&chats[0].last_message), "{}", chats[0].last_message);
    assert_eq!((chats[0].message_count, chats[1].message_count), (3, 1));
}

#[tokio::test]
async fn clearing_goes_back_to_the_greeting_and_stops_what_runs() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("The lamp is lit. "), Step::Wait, Step::Finish]);
    let mut running = talk.begin("Is anybody there?").await.expect("sent");
    crate::support::next_text(&mut running).await;

    let greeting = talk.clear().await.expect("cleared").first_message.expect("the greeting");
    assert!(greeting.content.starts_with("*Maren Holt looks up"));
    let page = talk.page().await;
    assert_eq!(page.messages.len(), 1);
    assert_eq!(page.messages[0].id, greeting.id);
    assert!(page.running_generation_id.is_empty());

    house.model.streams(&[Step::Say("Again, then."), Step::Finish]);
    assert_eq!(talk.say("Hello again.").await.expect("sent").text, "Again, then.");
    assert!(!house.model.last_prompt().contains("Is anybody there?"), "what was cleared is forgotten");
}

#[tokio::test]
async fn another_persons_chat_is_not_there() {
    let house = house().await;
    let talk = house.talk().await;
    let reply = talk.say("A secret.").await.expect("sent");
    let (_, stranger) = house.issuer.user("mallory");
    let mut theirs = talk.at(&house.server);
    theirs.token = stranger;

    assert_eq!(reason(&theirs.say("hi").await.expect_err("refused")), "chat_not_found");
    assert_eq!(reason(&theirs.watch(&reply.generation, 0).await.expect_err("refused")), "chat_not_found");
    assert_eq!(reason(&theirs.stop(&reply.generation).await.expect_err("refused")), "chat_not_found");
    assert_eq!(reason(&theirs.clear().await.expect_err("refused")), "chat_not_found");
    // The same character opens a chat of the stranger's own.
    assert_ne!(theirs.page().await.chat_id, talk.chat);
}

#[tokio::test]
async fn a_character_that_catalog_hides_cannot_be_opened() {
    let house = house().await;
    let (_, token) = house.issuer.user("robin");
    let refused = house.open(&token, uuid::Uuid::now_v7()).await.expect_err("refused");
    assert_eq!(reason(&refused), "character_not_found");
    let visitor = ChatsClient::new(channel(&house.server.url)).list_chats(ListChatsRequest::default()).await;
    assert_eq!(reason(&visitor.expect_err("refused")), "unauthenticated");
}

#[tokio::test]
async fn a_persona_is_who_the_model_and_the_character_speak_to() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("Then mind the step, Wren."), Step::Finish]);
    let persona = InlinePersona {
        name: "Wren".into(),
        description: "Afraid of the trapdoor.".into(),
        gender: "female".into(),
    };
    let mut request = talk.request(says("Hello."));
    request.persona = Some(Persona::InlinePersona(persona));
    read(talk.begin_with(request).await.expect("sent")).await;
    let prompt = house.model.last_prompt();
    for expected in ["Afraid of the trapdoor.", "Wren", "knows every ship by its light", "Soup, mostly."] {
        assert!(prompt.contains(expected), "{expected} in {prompt}");
    }
    assert!(!prompt.contains("{{"), "{prompt}");
    assert_eq!(house.model.keys.lock().expect("no holder panics").as_slice(), ["Bearer the tests' key"]);
    let asked = house.model.asked.lock().expect("no holder panics")[0].clone();
    assert_eq!(asked["stream"], true);
    assert_eq!(asked["stream_options"]["include_usage"], true);
    assert_eq!(asked["model"], "test-model");

    let mut request = talk.request(says("Hello."));
    request.persona = Some(Persona::PersonaId("none".into()));
    assert_eq!(reason(&talk.begin_with(request).await.expect_err("refused")), "persona_not_found");
}

#[tokio::test]
async fn catalog_hears_how_much_a_character_is_spoken_to() {
    let house = house().await;
    let events = published(&house.common, &["chat.activity.recorded"]).await;
    let talk = house.talk().await;
    talk.say("Hello.").await.expect("sent");
    talk.go_on().await.expect("sent");
    let counted = kit::testing::eventually(|| async {
        let all = events.all::<ActivityRecorded>("chat.activity.recorded");
        let sums =
            all.iter().flat_map(|e| &e.characters).filter(|c| c.character_id == talk.character.to_string());
        let (messages, chats) = sums.fold((0, 0), |(m, c), a| (m + a.messages, c + a.chats));
        (messages >= 3).then_some((messages, chats))
    })
    .await;
    assert_eq!(counted, (3, 1), "two messages of the first turn, one of the second, one new chat");
}
