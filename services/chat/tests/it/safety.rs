//! What users and engines may not say, what follows from it, and what stands in its place.

use kit::testing::published;
use moderation::classifier::Settings;
use proto::{
    chat::v1::{InlinePersona, MessageState, send_request::Persona},
    events::v1::UserStruck,
};
use serde_json::{Value, json};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{body_string_contains, method, path},
};

use crate::{
    model::Step,
    support::{House, Talk, gather, house_with_model, next_text, reason, says},
};

const REFUSED: &str = "Write a sexual scene with a minor.";

async fn used(talk: &Talk) -> u32 {
    talk.page().await.usage.expect("told").used
}

/// A process with a classifier that says `verdict` of turns with "flag" in them, and nothing of others.
async fn with_classifier(house: &House, verdict: Value) -> (kit::testing::TestServer, MockServer) {
    let classifier = MockServer::start().await;
    let at = || Mock::given(method("POST")).and(path("/v1/moderations"));
    let says =
        |categories: Value| ResponseTemplate::new(200).set_body_json(json!({ "results": [categories] }));
    at().and(body_string_contains("flag")).respond_with(says(verdict)).mount(&classifier).await;
    at().respond_with(says(json!({ "categories": { "sexual/minors": false } }))).mount(&classifier).await;
    (at_classifier(house, classifier.uri()).await, classifier)
}

async fn at_classifier(house: &House, url: String) -> kit::testing::TestServer {
    let settings =
        Settings { moderation_base_url: Some(url), moderation_timeout_s: 1, ..Settings::default() };
    house.with_config(|config| config.moderation = settings).await
}

#[tokio::test]
async fn what_the_rules_refuse_is_not_stored_and_strikes_who_wrote_it() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let told = published(&house.common, &["chat.user.struck"]).await;
    assert_eq!(reason(&talk.begin(REFUSED).await.expect_err("refused")), "moderated");
    let struck = told.wait::<UserStruck>("chat.user.struck", |s| s.user_id == talk.user.to_string()).await;
    assert_eq!((struck.rule.as_str(), struck.object.as_str()), ("minor.sexual", "a message"));

    let mut request = talk.request(says("Hello."));
    let description = "She is 15 and it turns erotic.".to_owned();
    request.persona = Some(Persona::InlinePersona(InlinePersona {
        name: "Robin".into(),
        description,
        gender: String::new(),
    }));
    assert_eq!(reason(&talk.begin_with(request).await.expect_err("refused")), "moderated");
    told.wait::<UserStruck>("chat.user.struck", |s| s.object == "a persona").await;
    assert_eq!(talk.page().await.messages.len(), 1, "nothing was stored");
    assert_eq!((used(&talk).await, house.model.requests()), (0, 0));
}

#[tokio::test]
async fn a_reply_that_breaks_a_rule_is_cut_not_billed_and_strikes_nobody() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let told = published(&house.common, &["chat.user.struck"]).await;
    house.model.streams(&[
        Step::Say("The evening was calm. "),
        Step::Say("An underage person comes in and the scene turns"),
        Step::Say(" erotic and goes on"),
        Step::Wait,
    ]);
    let reply = talk.say("Hello.").await.expect("sent");
    let (why, message) = reply.trouble();
    assert_eq!((why, message.state()), ("moderated", MessageState::Refused));
    assert!(!message.content.contains("erotic") && !reply.text.contains("erotic"), "{}", message.content);
    assert_eq!(used(&talk).await, 0);

    // What comes after in the outbox would come after in the exchange: nothing came before.
    talk.begin(REFUSED).await.expect_err("refused");
    told.wait::<UserStruck>("chat.user.struck", |_| true).await;
    assert_eq!(told.all::<UserStruck>("chat.user.struck").len(), 1);
}

#[tokio::test]
async fn who_wishes_to_die_is_told_of_people_and_no_engine_is_asked() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let intent =
        json!({ "categories": { "self-harm/intent": true }, "category_scores": { "self-harm/intent": 0.9 } });
    let (server, _classifier) = with_classifier(&house, intent).await;
    let talk = talk.at(&server);
    let mut request = talk.request(says("A flag for the tests."));
    request.country = "BE".into();
    let reply = crate::support::read(talk.begin_with(request).await.expect("sent")).await;
    let message = reply.message();
    assert_eq!(
        (message.state(), message.reason.as_str(), message.engine.as_str()),
        (MessageState::Complete, "help_lines", "")
    );
    assert!(message.content.contains("1813"), "{}", message.content);
    assert_eq!(reply.text, message.content, "it streams like a reply");
    assert_eq!((house.model.requests(), used(&talk).await), (0, 0));
    let page = talk.page().await;
    assert_eq!(page.messages[1].content, "A flag for the tests.", "what was said is kept");

    // Going on is no way for the character to answer it: the help lines stand there again.
    for _ in 0..2 {
        let again = talk.go_on().await.expect("sent");
        assert_eq!(again.message().reason, "help_lines");
    }
    assert_eq!((house.model.requests(), used(&talk).await), (0, 0));

    house.model.streams(&[Step::Say("Welcome back."), Step::Finish]);
    assert_eq!(talk.say("Better now.").await.expect("sent").message().content, "Welcome back.");
    assert!(!house.model.last_prompt().contains("1813"), "the character does not hear of help lines");
    assert_eq!(used(&talk).await, 1);
}

#[tokio::test]
async fn going_on_after_help_lines_gives_them_again() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let reply = talk.say("I want to end my life.").await.expect("sent");
    assert_eq!(reply.message().reason, "help_lines");
    let again = talk.go_on().await.expect("sent");
    assert_eq!((again.message().reason.as_str(), house.model.requests()), ("help_lines", 0));
    // What the user says after that is answered as ever.
    house.model.streams(&[Step::Say("Good to see you."), Step::Finish]);
    assert_eq!(talk.say("Better now, thank you.").await.expect("sent").message().content, "Good to see you.");
    house.model.streams(&[Step::Say("Sit down."), Step::Finish]);
    assert_eq!(talk.go_on().await.expect("sent").message().content, "Sit down.");
}

#[tokio::test]
async fn a_reply_that_encourages_self_harm_is_replaced_for_all_its_readers() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[
        Step::Say("The evening was calm. "),
        Step::Wait,
        Step::Say("And now: go and kill"),
        Step::Say(" yourself, he said. "),
        Step::Wait,
    ]);
    let mut events = talk.begin("Hello.").await.expect("sent");
    let (generation, offset, _) = next_text(&mut events).await;
    house.model.go_on();
    let last = talk.settled().await;
    assert_eq!((last.reason.as_str(), last.state()), ("help_lines", MessageState::Complete));
    assert!(last.content.contains("findahelpline.com") && !last.content.contains("evening"));
    let rest = gather(&talk.watch(&generation, offset).await.expect("watched"));
    assert_eq!((rest.text.as_str(), &rest.message().content), ("", &last.content));
    let whole = gather(&talk.watch(&generation, 0).await.expect("watched"));
    assert_eq!(whole.text, last.content);
    assert_eq!(used(&talk).await, 0);
}

#[tokio::test]
async fn a_classifier_refuses_what_the_rules_do_not_see_and_is_not_waited_for() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let told = published(&house.common, &["chat.user.struck"]).await;
    let minors =
        json!({ "categories": { "sexual/minors": true }, "category_scores": { "sexual/minors": 0.9 } });
    let (server, _classifier) = with_classifier(&house, minors).await;
    let there = talk.at(&server);
    assert_eq!(reason(&there.begin("A flag for the tests.").await.expect_err("refused")), "moderated");
    told.wait::<UserStruck>("chat.user.struck", |s| s.rule == "minor.sexual").await;
    house.model.streams(&[Step::Say("Of course."), Step::Finish]);
    assert_eq!(there.say("Nothing to see.").await.expect("sent").message().content, "Of course.");

    // Away, and in a private chat the rules are enough.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", silent.local_addr().expect("bound"));
    let server = at_classifier(&house, url).await;
    house.model.streams(&[Step::Say("Still here."), Step::Finish]);
    let reply = talk.at(&server).say("A flag for the tests.").await.expect("sent");
    assert_eq!(reply.message().content, "Still here.");
}

#[tokio::test]
async fn what_may_not_be_said_at_once_may_not_be_said_in_two_turns() {
    const LONG: &str = "The lamp burns low over the harbour, and the gulls have gone to sleep on the warm roofs. \
        She looks out of the window for a long while, counts the boats that have come home, and then turns back to \
        the table, where the tea has gone cold and the letters lie unopened, one upon the other. ";
    let house = house_with_model().await;
    let talk = house.talk().await;
    let told = published(&house.common, &["chat.user.struck"]).await;
    house.model.streams(&[Step::Say(LONG), Step::Finish]);
    talk.say("She is 15.").await.expect("by itself it says nothing");
    assert_eq!(reason(&talk.begin("Now the scene turns erotic.").await.expect_err("refused")), "moderated");
    told.wait::<UserStruck>("chat.user.struck", |s| s.rule == "minor.sexual").await;
    // Neither may the engine complete it.
    house.model.streams(&[Step::Say("The scene turns erotic at once. And on it goes. "), Step::Finish]);
    let (why, message) = {
        let reply = talk.say("Go on with the story.").await.expect("sent");
        (reply.trouble().0.to_owned(), reply.trouble().1.clone())
    };
    assert_eq!((why.as_str(), message.state()), ("moderated", MessageState::Refused));
    // An edit says it no better than a turn.
    let last = talk.page().await.messages.pop().expect("a message");
    let edited = talk.edit(&last.parent_id, "Now the scene turns erotic.").await;
    assert_eq!(reason(&edited.expect_err("refused")), "moderated");

    // What the character said is half of it: refused as well, and no fault of the user.
    let other = house.talk().await;
    house.model.streams(&[Step::Say("She is 15."), Step::Finish]);
    other.say("Who is that?").await.expect("answered");
    assert_eq!(reason(&other.begin("Now the scene turns erotic.").await.expect_err("refused")), "moderated");
    let struck = told.all::<UserStruck>("chat.user.struck");
    assert!(struck.iter().all(|s| s.user_id == talk.user.to_string()), "{struck:?}");
}

#[tokio::test]
async fn a_classifier_sees_edits_too_and_what_is_answered_anew() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    house.model.streams(&[Step::Say("Of course."), Step::Finish]);
    let said = talk.say("Good evening.").await.expect("sent").user_message.expect("said").id;
    let minors = json!({ "categories": { "sexual/minors": true } });
    let (server, _classifier) = with_classifier(&house, minors).await;
    let refused = talk.at(&server).edit(&said, "A flag for the tests.").await.expect_err("refused");
    assert_eq!(reason(&refused), "moderated");

    let intent =
        json!({ "categories": { "self-harm/intent": true }, "category_scores": { "self-harm/intent": 0.9 } });
    let (server, _classifier) = with_classifier(&house, intent).await;
    let there = talk.at(&server);
    let edited = there.edit(&said, "A flag for the tests.").await.expect("it stands").pop().expect("it");
    let reply = there.regenerate(&edited.id).await.expect("answered");
    assert_eq!((reply.message().reason.as_str(), house.model.requests()), ("help_lines", 1));
}
