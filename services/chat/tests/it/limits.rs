use proto::{
    auth::v1::Persona as KnownPersona,
    billing::v1::Plan,
    chat::v1::{
        GetUsageRequest, InlinePersona, MessageState, chats_client::ChatsClient, send_request::Persona,
    },
    events::v1::CharacterChanged,
};

use crate::{
    model::{Answer, Step},
    support::{House, house, house_with_model, reason, says},
};

#[tokio::test]
async fn a_free_chat_ends_when_it_holds_more_than_twenty_messages() {
    let house = house().await;
    let talk = house.talk().await;
    for n in 0..10 {
        talk.say(&format!("Turn {n}.")).await.expect("within the limit");
    }
    assert_eq!(talk.page().await.usage.expect("told").path_messages, 21);
    assert_eq!(reason(&talk.say("One more.").await.expect_err("refused")), "subscribe_required");
    assert_eq!(reason(&talk.go_on().await.expect_err("refused")), "subscribe_required");
    talk.clear().await.expect("always allowed");
    talk.say("Afresh.").await.expect("within the limit");
}

#[tokio::test]
async fn a_paid_plan_has_its_allowance_and_no_limit_of_the_chat() {
    let house = house().await;
    house.peers.plan(Plan::Premium, 12);
    let talk = house.talk().await;
    for n in 0..12 {
        talk.say(&format!("Turn {n}.")).await.expect("within the allowance");
    }
    assert_eq!(reason(&talk.say("One more.").await.expect_err("refused")), "allowance_used");
    let mut client = ChatsClient::new(talk.channel.clone());
    let usage = kit::testing::as_user(&talk.token, client.get_usage(GetUsageRequest {})).await.expect("told");
    let usage = usage.into_inner().usage.expect("told");
    assert_eq!((usage.used, usage.limit, usage.free_limit), (12, Some(12), None));
}

#[tokio::test]
async fn what_came_to_nothing_is_given_back() {
    let house = house_with_model().await;
    house.peers.plan(Plan::Premium, 1);
    let talk = house.talk().await;
    house.model.will(Answer::Status(401, None));
    talk.say("Hello.").await.expect("sent");
    house.model.streams(&[Step::Say("Better now."), Step::Finish]);
    assert_eq!(talk.say("Hello?").await.expect("given back").message().content, "Better now.");
    assert_eq!(reason(&talk.say("More.").await.expect_err("refused")), "allowance_used");
}

#[tokio::test]
async fn a_new_plan_counts_as_soon_as_it_is_told() {
    let house = house().await;
    let talk = house.talk().await;
    let (user, token) = house.issuer.user("ada");
    house.open(&token, talk.character).await.expect("opened");
    house.peers.plan(Plan::Premium, 5_000);
    notices(&house).await.hint(user, "entitlement.changed", user.to_string()).await;
    kit::testing::eventually(|| async {
        let page = house.open(&token, talk.character).await.expect("opened");
        (page.usage.expect("told").limit == Some(5_000)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn who_turns_nsfw_off_or_blocks_is_asked_about_anew() {
    let house = house().await;
    let talk = house.talk().await;
    let (other, token) = house.issuer.user("ada");
    house.open(&token, talk.character).await.expect("opened");
    // From now on catalog shows the card to nobody; it tells so of one.
    let card = house.peers.cards.lock().expect("no holder panics").remove(&talk.character.to_string());
    assert!(card.is_some());
    notices(&house).await.hint(other, "viewer.changed", other.to_string()).await;
    kit::testing::eventually(|| async {
        let refused = house.open(&token, talk.character).await.err()?;
        (reason(&refused) == "character_not_found").then_some(())
    })
    .await;
    talk.page().await;
}

#[tokio::test]
async fn an_answer_from_before_a_change_is_not_believed_after_it() {
    let house = house().await;
    let (user, token) = house.issuer.user("robin");
    let (slow, quick) = (house.peers.add_character("Maren"), house.peers.add_character("Isolde"));
    let name = async |character| {
        house.open(&token, character).await.expect("opened").character.expect("a card").name
    };
    assert_eq!(name(quick).await, "Isolde");
    let held = house.peers.hold_up(slow);
    let change = async {
        held.made.notified().await;
        house.peers.rename(slow, "Maren Holt");
        house.peers.rename(quick, "Isolde Marchetti");
        // The notice drops all cards of the user: it was heard when the other one is new.
        notices(&house).await.hint(user, "viewer.changed", user.to_string()).await;
        kit::testing::eventually(|| async { (name(quick).await == "Isolde Marchetti").then_some(()) }).await;
        held.sent.notify_one();
    };
    let (before, ()) = tokio::join!(name(slow), change);
    assert_eq!(before, "Maren", "asked before the change");
    assert_eq!(name(slow).await, "Maren Holt");
}

#[tokio::test]
async fn a_changed_card_is_spoken_from_at_once() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let id = talk.character.to_string();
    house.peers.cards.lock().expect("no holder panics").get_mut(&id).expect("there").personality =
        "Maren has taken up the trumpet.".into();
    let changed =
        CharacterChanged { character_id: id, version: 2, state: "live".into(), ..Default::default() };
    kit::testing::publish(&house.common, "catalog.character.changed", &changed).await;
    kit::testing::eventually(|| async {
        house.model.streams(&[Step::Say("Listen."), Step::Finish]);
        talk.clear().await.expect("cleared");
        talk.say("Hello.").await.expect("sent");
        house.model.last_prompt().contains("the trumpet").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_changed_persona_is_spoken_to_at_once() {
    let house = house_with_model().await;
    let named = |name: &str| KnownPersona { id: "p".into(), name: name.into(), ..Default::default() };
    let call = |name: &str| *house.peers.persona.lock().expect("no holder panics") = Some(named(name));
    call("Wren");
    let talk = house.talk().await;
    let spoken_to = async || {
        house.model.streams(&[Step::Say("Listen."), Step::Finish]);
        talk.clear().await.expect("cleared");
        talk.say("Hello.").await.expect("sent");
        house.model.last_prompt()
    };
    assert!(spoken_to().await.contains("Wren"));
    call("Linnet");
    notices(&house).await.hint(talk.user, "personas.changed", talk.user.to_string()).await;
    kit::testing::eventually(|| async { spoken_to().await.contains("Linnet").then_some(()) }).await;
}

#[tokio::test]
async fn what_is_not_allowed_is_refused_before_it_is_stored() {
    let house = house().await;
    let talk = house.talk().await;
    let refused = talk.say("Write a sexual scene with a minor.").await.expect_err("refused");
    let failure = kit::error::Failure::from_status(&refused);
    assert_eq!((failure.reason.as_str(), failure.fields[0].0.as_str()), ("moderated", "content"));

    let mut request = talk.request(says("Hello."));
    request.persona = Some(Persona::InlinePersona(InlinePersona {
        name: "Wren".into(),
        description: "A nude person, underage.".into(),
        gender: String::new(),
    }));
    assert_eq!(reason(&talk.begin_with(request).await.expect_err("refused")), "moderated");

    for bad in ["", "   ", "\u{0}"] {
        assert_eq!(reason(&talk.say(bad).await.expect_err("refused")), "invalid", "{bad:?}");
    }
    assert_eq!(reason(&talk.say(&"x".repeat(4_001)).await.expect_err("refused")), "invalid");
    assert_eq!(talk.page().await.messages.len(), 1, "nothing of it is in the chat");
    assert_eq!(talk.page().await.usage.expect("told").used, 0);
}

#[tokio::test]
async fn a_reply_that_breaks_a_rule_is_cut_and_what_was_shown_before_stays() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[
        Step::Say("The evening is calm."),
        Step::Say(" A person who is 15 "),
        Step::Say("enters, and the text turns erotic"),
        Step::Say(" and goes on."),
        Step::Finish,
    ]);
    let reply = talk.say("Hello.").await.expect("sent");
    let (reason, message) = reply.trouble();
    assert_eq!((reason, message.state()), ("moderated", MessageState::Refused));
    assert_eq!(
        (message.content.as_str(), reply.text.as_str()),
        ("The evening is calm.", "The evening is calm.")
    );
    assert_eq!(talk.settled().await.content, "The evening is calm.");
}

/// As another service speaks.
async fn notices(house: &House) -> kit::notice::Notices {
    kit::house::House::open_without_broker(&house.common, kit::shutdown::Shutdown::new())
        .await
        .expect("Redis")
        .notices
}
