//! What must be looked at first is seen by its owner alone until somebody, or something, has.

use std::time::Duration;

use kit::testing::{as_user, eventually, published};
use moderation::classifier::Settings;
use proto::{
    catalog::v1::{
        Character, ContentState, DecideHeldRequest, Decision, GetHeldRequest, HeldCharacter, HeldDecision,
        ListHeldRequest, SubjectKind, UpdateCharacterRequest, held_client::HeldClient,
    },
    events::v1::{MailRequested, ReportDecided, UserStruck},
};
use serde_json::json;
use tonic::Code;
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{body_string_contains, method},
};

use crate::{
    makers::{V3, picture},
    reports::about,
    support::{House, draft, house, house_with, id, reason},
};

/// Held: a real person.
const REAL: &str = "She is an ai version of the famous actress from the harbour films.";

impl House {
    async fn held(&self, admin: &str) -> Vec<HeldCharacter> {
        let mut client = HeldClient::new(self.channel());
        let answer = as_user(admin, client.list_held(ListHeldRequest::default())).await.expect("the queue");
        answer.into_inner().characters
    }

    async fn decide_held(
        &self,
        token: &str,
        id: &str,
        decision: HeldDecision,
        reasons: &str,
    ) -> Result<(), tonic::Status> {
        // Of what is in the queue at this moment; who is no moderator knows none.
        let digest = self.whole(token, id).await.map(|held| held.digest).unwrap_or_default();
        self.decide_about(token, id, decision, reasons, &digest).await
    }

    async fn decide_about(
        &self,
        token: &str,
        id: &str,
        decision: HeldDecision,
        reasons: &str,
        digest: &str,
    ) -> Result<(), tonic::Status> {
        let request = DecideHeldRequest {
            id: id.into(),
            decision: decision.into(),
            reasons: reasons.into(),
            digest: digest.into(),
        };
        as_user(token, HeldClient::new(self.channel()).decide_held(request)).await.map(drop)
    }

    async fn whole(&self, token: &str, id: &str) -> Result<HeldCharacter, tonic::Status> {
        let mut client = HeldClient::new(self.channel()).max_decoding_message_size(usize::MAX);
        let answer = as_user(token, client.get_held(GetHeldRequest { id: id.into() })).await?;
        Ok(answer.into_inner().character.expect("one"))
    }

    pub async fn becomes(&self, token: &str, id: &str, state: ContentState) {
        eventually(|| async { (self.state(token, id).await == state).then_some(()) }).await;
    }
}

#[tokio::test]
async fn what_a_rule_holds_waits_for_a_moderator_who_may_approve_it() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let admin = house.admin();
    let told = published(&house.common, &["catalog.report.#"]).await;
    let mut real = draft("Tess");
    real.description = REAL.into();
    let made = house.create(&ada, real.clone()).await.expect("stored");
    assert_eq!(made.state(), ContentState::Pending);
    assert!(!because(&made).is_empty(), "its owner is told why");
    let hidden = house.see(None, &id(&made)).await.expect_err("held");
    assert_eq!(reason(&hidden), "character_not_found");

    let (_, bea) = house.creator("bea").await;
    let refused = house.decide_held(&bea, &id(&made), HeldDecision::Approve, "").await.expect_err("not hers");
    assert_eq!(refused.code(), Code::PermissionDenied);
    let queue = house.held(&admin).await;
    assert_eq!((queue.len(), queue[0].id.as_str()), (1, id(&made).as_str()));
    assert!(queue[0].texts.iter().any(|t| t.field == "description" && t.text == REAL));
    house.decide_held(&admin, &id(&made), HeldDecision::Approve, "A namesake.").await.expect("approved");
    let open = house.see(None, &id(&made)).await.expect("open").character.expect("one");
    assert_eq!((open.state(), because(&open)), (ContentState::Live, ""));
    told.wait::<ReportDecided>("catalog.report.decided", |d| d.decision == "restore").await;
    let again = house.decide_held(&admin, &id(&made), HeldDecision::Approve, "").await.expect_err("done");
    assert_eq!(reason(&again), "not_held");

    // The same texts stay approved; others are looked at anew.
    real.nsfw = true;
    let change = UpdateCharacterRequest { id: id(&made), draft: Some(real.clone()), portrait: None };
    as_user(&ada, house.characters().update_character(change)).await.expect("changed");
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Live);
    real.scenario = "A set of a film.".into();
    let change = UpdateCharacterRequest { id: id(&made), draft: Some(real.clone()), portrait: None };
    as_user(&ada, house.characters().update_character(change)).await.expect("changed");
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Pending);
    real.description = "She repairs clocks.".into();
    let change = UpdateCharacterRequest { id: id(&made), draft: Some(real), portrait: None };
    as_user(&ada, house.characters().update_character(change)).await.expect("changed");
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Live, "nothing holds it any more");
}

#[tokio::test]
async fn nobody_decides_about_what_they_have_not_read() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let admin = house.admin();
    let mut real = draft("Tess");
    real.description = REAL.into();
    let made = house.create(&ada, real.clone()).await.expect("stored");
    let read = house.held(&admin).await.remove(0);
    real.scenario = "Another scene.".into();
    let change = UpdateCharacterRequest { id: id(&made), draft: Some(real), portrait: None };
    as_user(&ada, house.characters().update_character(change)).await.expect("changed");
    for digest in [read.digest.as_str(), ""] {
        for decision in [HeldDecision::Approve, HeldDecision::Remove] {
            let refused = house.decide_about(&admin, &id(&made), decision, "So it is.", digest).await;
            assert_eq!(reason(&refused.expect_err("another text")), "held_changed");
        }
    }
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Pending);
    let read = house.held(&admin).await.remove(0);
    house.decide_about(&admin, &id(&made), HeldDecision::Approve, "", &read.digest).await.expect("approved");
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Live);
}

#[tokio::test]
async fn large_characters_do_not_shut_the_queue() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let admin = house.admin();
    let mut last = String::new();
    let words = "The river is wide. ".repeat(85_000);
    let card = V3.replace("All aboard.", REAL).replace("\"a\":[1.0", &format!("\"a\":[\"{words}\""));
    for _ in 0..3 {
        let made =
            house.import(&ada, card.clone().into(), Some(picture(8, 12))).await.expect("stored").character;
        last = id(&made.expect("one"));
    }
    let queue = house.held(&admin).await;
    assert_eq!(queue.len(), 3);
    assert!(queue.iter().all(|held| held.digest.is_empty()), "none of them is whole");
    let shown: usize = queue[0].texts.iter().map(|t| t.text.chars().count()).sum();
    assert!(shown <= catalog::limits::HELD_TEXTS, "{shown}");
    let whole = house.whole(&admin, &last).await.expect("whole");
    assert!(whole.texts.iter().any(|t| t.text.len() > 700_000));
    house.decide_about(&admin, &last, HeldDecision::Approve, "", &whole.digest).await.expect("approved");
}

#[tokio::test]
async fn what_no_field_shows_is_shown_to_who_decides() {
    let server = MockServer::start().await;
    let passes = json!({ "results": [{ "flagged": false, "categories": { "sexual/minors": false }, "category_scores": {} }] });
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(passes))
        .mount(&server)
        .await;
    let settings = Settings {
        moderation_base_url: Some(server.uri()),
        moderation_model: "a-model".into(),
        moderation_timeout_s: 2,
        ..Settings::default()
    };
    let house = house_with(settings).await;
    let (_, ada) = house.creator("ada").await;
    let card = V3.replace("All aboard.", REAL);
    let made = house.import(&ada, card.into(), Some(picture(8, 12))).await.expect("stored").character;
    let made = made.expect("one");
    assert_eq!(made.state(), ContentState::Pending);
    let queue = house.held(&house.admin()).await;
    let texts = &queue[0].texts;
    assert!(texts.iter().any(|t| t.field == "file" && t.text.contains(REAL)), "{texts:?}");
    assert_eq!(texts.iter().filter(|t| t.text == "A river at night.").count(), 1, "each text once");
    assert!(!texts.iter().any(|t| t.text == "spec_version"));
    eventually(|| async {
        let asked = server.received_requests().await.unwrap_or_default();
        let said = |body: &[u8]| String::from_utf8_lossy(body).contains("harbour films");
        asked.iter().any(|request| said(&request.body)).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_removal_is_told_with_its_reasons_and_can_be_appealed() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let admin = house.admin();
    let told = published(&house.common, &["catalog.#"]).await;
    let mut real = draft("Tess");
    real.description = REAL.into();
    let made = house.create(&ada, real).await.expect("stored");
    let refused = house.decide_held(&admin, &id(&made), HeldDecision::Remove, " ").await.expect_err("why?");
    assert_eq!(reason(&refused), "invalid");
    house.decide_held(&admin, &id(&made), HeldDecision::Remove, "A living person.").await.expect("removed");
    house.see(Some(&ada), &id(&made)).await.expect_err("gone");
    assert!(house.held(&admin).await.is_empty());
    let decided = told.wait::<ReportDecided>("catalog.report.decided", |d| d.decision == "remove").await;
    assert_eq!((decided.user_id, decided.subject.as_str()), (owner.to_string(), "the character Tess"));
    told.wait::<MailRequested>("catalog.mail.requested", |m| m.template == "statement_of_reasons").await;

    let number = house.statement(&ada, &decided.report_id).await;
    house.appeal(&number).await.expect("appealed");
    house.decide_appeal(&decided.report_id, true).await.expect("granted");
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Pending, "it waits again");
    assert_eq!(house.held(&admin).await.len(), 1);
}

#[tokio::test]
async fn what_a_rule_holds_stays_held_whatever_reports_ask_for() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let made = house.create(&ada, draft("Tess")).await.expect("stored");
    let (_, bea) = house.issuer.user("bea");
    let report = house.file(Some(&bea), about(SubjectKind::Character, &id(&made))).await.expect("filed");
    house.decide(&report.id, Decision::Limit).await.expect("limited");
    let mut real = draft("Tess");
    real.description = REAL.into();
    let change = UpdateCharacterRequest { id: id(&made), draft: Some(real), portrait: None };
    as_user(&ada, house.characters().update_character(change)).await.expect("changed");
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Pending, "the gravest holds");
    house.decide_held(&house.admin(), &id(&made), HeldDecision::Approve, "").await.expect("approved");
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Limited, "the report still does");
}

#[tokio::test]
async fn a_theme_that_is_limited_is_in_no_list() {
    let house = house().await;
    let (_, ada) = house.creator("ada").await;
    let mut dark = draft("Tess");
    dark.scenario = "A trial about what was done without consent.".into();
    let made = house.create(&ada, dark).await.expect("stored");
    assert_eq!(made.state(), ContentState::Limited);
    house.see(None, &id(&made)).await.expect("by its address");
    house.create(&ada, draft("Una")).await.expect("stored");
    house.listed(None, 1).await;
}

#[tokio::test]
async fn a_refusal_that_counts_is_told_and_nothing_is_stored() {
    let house = house().await;
    let (owner, ada) = house.creator("ada").await;
    let told = published(&house.common, &["catalog.#"]).await;
    let mut bad = draft("Tess");
    bad.scenario = "A 15 year old girl, and they have sex.".into();
    let refused = house.create(&ada, bad).await.expect_err("refused");
    assert_eq!(reason(&refused), "moderated");
    let struck = told.wait::<UserStruck>("catalog.user.struck", |_| true).await;
    assert_eq!((struck.user_id, struck.object.as_str()), (owner.to_string(), "a character"));
    let kept: i64 = sqlx::query_scalar("select count(*) from character")
        .fetch_one(&house.db.pool)
        .await
        .expect("counted");
    assert_eq!(kept, 0);
}

#[tokio::test]
async fn without_an_answer_of_the_classifier_nothing_is_published() {
    let server = MockServer::start().await;
    let away =
        Mock::given(method("POST")).respond_with(ResponseTemplate::new(503)).mount_as_scoped(&server).await;
    let settings = Settings {
        moderation_base_url: Some(server.uri()),
        moderation_model: "a-model".into(),
        moderation_timeout_s: 2,
        ..Settings::default()
    };
    let house = house_with(settings).await;
    let (_, ada) = house.creator("ada").await;
    let mut private = draft("Una");
    private.public = false;
    let unseen = house.create(&ada, private).await.expect("stored");
    assert_eq!(unseen.state(), ContentState::Live, "private ones are for the rules alone");
    let made = house.create(&ada, draft("Tess")).await.expect("stored");
    assert_eq!(made.state(), ContentState::Pending);
    eventually(|| async { (server.received_requests().await.unwrap_or_default().len() >= 2).then_some(()) })
        .await;
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Pending, "it is asked again and again");
    drop(away);
    let passes = json!({ "results": [{ "flagged": false, "categories": { "sexual/minors": false }, "category_scores": {} }] });
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(passes))
        .mount(&server)
        .await;
    house.becomes(&ada, &id(&made), ContentState::Live).await;
}

#[tokio::test]
async fn one_that_takes_long_keeps_no_other_waiting() {
    let server = MockServer::start().await;
    let passes = json!({ "results": [{ "flagged": false, "categories": { "sexual/minors": false }, "category_scores": {} }] });
    let answer = ResponseTemplate::new(200).set_body_json(passes);
    Mock::given(method("POST"))
        .and(body_string_contains("Tess"))
        .respond_with(answer.clone().set_delay(Duration::from_secs(55)))
        .mount(&server)
        .await;
    Mock::given(method("POST")).respond_with(answer).mount(&server).await;
    let settings = Settings {
        moderation_base_url: Some(server.uri()),
        moderation_model: "a-model".into(),
        moderation_timeout_s: 60,
        ..Settings::default()
    };
    let house = house_with(settings).await;
    let (_, ada) = house.creator("ada").await;
    let slow = house.create(&ada, draft("Tess")).await.expect("stored");
    let asked_about = |name: &'static str| {
        let server = &server;
        async move {
            let asked = server.received_requests().await.unwrap_or_default();
            asked.iter().any(|r| String::from_utf8_lossy(&r.body).contains(name)).then_some(())
        }
    };
    // Both are claimed together or one after the other: at the worst, the second waits for the first.
    let quick = house.create(&ada, draft("Una")).await.expect("stored");
    eventually(|| asked_about("Tess")).await;
    // What is asked about is claimed for as long as that may take.
    let claimed: bool = sqlx::query_scalar(
        "select bool_and(due_at > now() + interval '1 minute') from character_hold h join character c
         on c.id = h.character_id where c.name = 'Tess'",
    )
    .fetch_one(&house.db.pool)
    .await
    .expect("held");
    assert!(claimed);
    house.becomes(&ada, &id(&quick), ContentState::Live).await;
    assert_eq!(house.state(&ada, &id(&slow)).await, ContentState::Pending);
}

#[tokio::test]
async fn what_the_classifier_flags_a_moderator_sees() {
    let server = MockServer::start().await;
    let flags = json!({ "results": [{ "flagged": true, "categories": { "sexual/minors": true }, "category_scores": {} }] });
    Mock::given(method("POST"))
        .respond_with(ResponseTemplate::new(200).set_body_json(flags))
        .mount(&server)
        .await;
    let settings = Settings {
        moderation_base_url: Some(server.uri()),
        moderation_model: "a-model".into(),
        moderation_timeout_s: 2,
        ..Settings::default()
    };
    let house = house_with(settings).await;
    let (_, ada) = house.creator("ada").await;
    let admin = house.admin();
    let made = house.create(&ada, draft("Tess")).await.expect("stored");
    eventually(|| async { (house.held(&admin).await.len() == 1).then_some(()) }).await;
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Pending);
    // Saved again as it is, it stays held; approved, it stays open.
    let change = UpdateCharacterRequest { id: id(&made), draft: Some(draft("Tess")), portrait: None };
    as_user(&ada, house.characters().update_character(change.clone())).await.expect("saved");
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Pending);
    house.decide_held(&admin, &id(&made), HeldDecision::Approve, "").await.expect("approved");
    as_user(&ada, house.characters().update_character(change)).await.expect("saved");
    assert_eq!(house.state(&ada, &id(&made)).await, ContentState::Live);
}

/// What the owner is told of why others do not see it.
fn because(character: &Character) -> &str {
    character.card.as_ref().map_or("", |card| card.held_because.as_str())
}
