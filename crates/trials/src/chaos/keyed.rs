//! Every kind of request that takes an `Idempotency-Key`, and what counts its effects.

use anyhow::{Context as _, Result};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{house::House, judge::words, scene::Scene};
use crate::guest::{Guest, Payload};

/// One request that must have one effect however often it comes.
pub struct Keyed {
    pub what: &'static str,
    pub method: Method,
    pub path: String,
    pub body: Payload,
    /// The same key with this is another request.
    pub other: Payload,
    /// What the first answer names, where all others must name the same: a JSON pointer.
    pub names: &'static str,
    pub effects: Vec<Effect>,
}

/// What counts effects: a number that one request makes larger by one.
pub struct Effect {
    pub what: &'static str,
    database: &'static str,
    /// Counts for `$1`, as text.
    question: &'static str,
    of: String,
}

impl Effect {
    /// How many there are now.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub async fn count(&self, house: &House) -> Result<i64> {
        let asked = sqlx::query_scalar(self.question).bind(&self.of).fetch_one(house.db(self.database));
        asked.await.context(self.what)
    }
}

/// The character of a form, as drawn by our own engine: private, so that nobody else's lists change.
fn form(name: &str) -> Payload {
    Payload::form(
        &[
            ("name", name),
            ("description", "Keeps the light."),
            ("personality", "Patient."),
            ("firstMessage", "Good evening."),
            ("tags", "[]"),
            ("public", "false"),
            ("generateMode", "true"),
            ("imageGeneration", r#"{"age":"30s","prompt":"a keeper of a lighthouse"}"#),
        ],
        None,
    )
}

/// A card of the second specification.
fn card(name: &str) -> Payload {
    let card = json!({ "spec": "chara_card_v2", "spec_version": "2.0", "data": {
        "name": name, "description": "Keeps the light.", "personality": "Patient.", "scenario": "",
        "first_mes": "Good evening.", "mes_example": "", "creator_notes": "", "system_prompt": "",
        "post_history_instructions": "", "alternate_greetings": [], "tags": [], "creator": "",
        "character_version": "", "extensions": {},
    }});
    Payload::form(
        &[
            ("generateMode", "true"),
            ("imageGeneration", r#"{"age":"30s","prompt":"a keeper of a lighthouse"}"#),
        ],
        Some(("file", "card.json", &card.to_string())),
    )
}

/// A chat file of SillyTavern.
fn transcript(character: Uuid, said: &str) -> Payload {
    let lines = [
        json!({ "user_name": "Robin", "character_name": "Maren" }),
        json!({ "name": "Maren", "is_user": false, "mes": "You came." }),
        json!({ "name": "Robin", "is_user": true, "mes": said }),
    ];
    let lines = lines.map(|line| line.to_string()).join("\n") + "\n";
    Payload::form(&[("characterId", &character.to_string())], Some(("file", "chat.jsonl", &lines)))
}

/// All requests of the API that take a key, ready for `guest`, who has a paid plan and coins. `PUT /api/characters/{id}`
/// is not among them: it says what shall stand, and its key is that of the picture which it may carry.
///
/// # Errors
/// When the chat cannot be begun that some of them are about.
pub async fn all(scene: &mut Scene, guest: &Guest) -> Result<Vec<Keyed>> {
    let judge = scene.crowd.judge.clone();
    let me: Uuid = sqlx::query_scalar("select id from account where username = $1")
        .bind(&guest.username)
        .fetch_one(scene.house.db("auth"))
        .await?;
    let (me, character) = (me.to_string(), scene.anybody());
    let chat = judge.chat(guest, character).await.context("no chat can be begun")?;
    let first = judge.say(guest, &chat).await.and_then(|sent| sent.reply).context("nobody answers")?.0;
    let asked: Option<Uuid> = sqlx::query_scalar("select parent_id from message where id = $1")
        .bind(first)
        .fetch_one(scene.house.db("chat"))
        .await?;
    let asked = asked.context("a reply has what it answers before it")?;
    let json = |value: Value| Payload::json(&value);
    let effect = |what, database, question, of: &str| Effect { what, database, question, of: of.to_owned() };
    let chats = |what| effect(what, "chat", "select count(*) from chat where user_id::text = $1", &me);
    let replies =
        || effect("its reply", "chat", "select count(*) from generation where chat_id::text = $1", &chat);
    let said =
        |words: &str| effect("its words", "chat", "select count(*) from message where content = $1", words);
    let made = |name: &str| {
        effect("the character", "catalog", "select count(*) from character where name = $1", name)
    };
    let portrait = || {
        let question = "select count(*) from job where purpose = 'portrait' and owner::text = $1";
        effect("its portrait", "media", question, &me)
    };
    let coins = || {
        let question = "select count(*) from coin_tx t join coin_entry e on e.tx = t.id join coin_account a on a.id = e.account
                        where a.user_id::text = $1 and t.kind = 'reserve' and a.kind = 'reserved'";
        effect("its coins", "billing", question, &me)
    };
    let filed =
        |text: &str| effect("the report", "catalog", "select count(*) from report where body = $1", text);
    let post = |what, path: String, (body, other): (Payload, Payload), names, effects| Keyed {
        what,
        method: Method::POST,
        path,
        body,
        other,
        names,
        effects,
    };
    // Each text is said once, so that it finds what it made.
    let [message, edited, imported, created, carded, complaint, removal, report] = [(); 8].map(|()| words());
    let (created, carded) = (name_of(&created), name_of(&carded));
    let contact = [("name", "Robin"), ("email", "robin@example.com"), ("subject", "A picture elsewhere.")];
    let intimate = |text: &str| {
        let fields: Vec<(&str, &str)> = contact.into_iter().chain([("text", text)]).collect();
        Payload::form(&fields, None)
    };
    let complain = |text: &str| {
        json(json!({
            "kind": "complaint", "name": "Robin", "email": "robin@example.com", "subject": "A page.", "text": text,
        }))
    };
    let tell = |text: &str| {
        json(json!({ "subjectKind": "character", "subjectId": character, "reason": "spam", "text": text }))
    };
    Ok(vec![
        post(
            "a message",
            format!("/api/chats/{chat}/messages"),
            (json(json!({ "content": message })), json(json!({ "content": words() }))),
            "/aiMessage/_id",
            vec![said(&message), replies()],
        ),
        post(
            "another reply",
            format!("/api/chats/{chat}/messages/{first}/regenerate"),
            (json(json!({})), json(json!({ "persona": { "name": "Robin" } }))),
            "/aiMessage/_id",
            vec![replies()],
        ),
        Keyed {
            method: Method::PUT,
            ..post(
                "an edit with its reply",
                format!("/api/chats/{chat}/messages/{asked}"),
                (
                    json(json!({ "content": edited, "reply": true })),
                    json(json!({ "content": words(), "reply": true })),
                ),
                "/aiMessage/_id",
                vec![said(&edited), replies()],
            )
        },
        post(
            "a chat",
            "/api/chats".into(),
            (
                json(json!({ "characterId": character })),
                json(json!({ "characterId": scene.crowd.characters[0], "greeting": 1 })),
            ),
            "/chatId",
            vec![chats("the chat")],
        ),
        post(
            "a fork",
            format!("/api/chats/{chat}/fork"),
            (json(json!({ "messageId": first })), json(json!({ "messageId": asked }))),
            "/chatId",
            vec![chats("the fork")],
        ),
        post(
            "a chat from a file",
            "/api/chats/import".into(),
            (transcript(character, &imported), transcript(character, &words())),
            "/chatId",
            vec![chats("the chat"), said(&imported)],
        ),
        post(
            "a picture",
            "/api/images/create".into(),
            (json(json!({ "prompt": "a lighthouse" })), json(json!({ "prompt": "a harbour" }))),
            "/image/_id",
            vec![
                effect(
                    "the picture",
                    "media",
                    "select count(*) from job where purpose = 'gallery' and owner::text = $1",
                    &me,
                ),
                coins(),
            ],
        ),
        post(
            "a character",
            "/api/create".into(),
            (form(&created), form("Somebody else")),
            "/character/_id",
            vec![made(&created), portrait(), coins()],
        ),
        post(
            "a character from a card",
            "/api/cards/import".into(),
            (card(&carded), card("Somebody else")),
            "/character/_id",
            vec![made(&carded), portrait(), coins()],
        ),
        post(
            "a review",
            format!("/api/character/{character}/review"),
            (
                json(json!({ "rating": 5, "comment": "Good company." })),
                json(json!({ "rating": 1, "comment": "Good company." })),
            ),
            "/review/_id",
            vec![effect(
                "the review",
                "catalog",
                "select count(*) from review where user_id::text = $1",
                &me,
            )],
        ),
        post(
            "a checkout",
            "/api/checkout".into(),
            (
                json(json!({ "plan": "deluxe", "period": "yearly" })),
                json(json!({ "plan": "deluxe", "period": "monthly" })),
            ),
            "/url",
            vec![effect(
                "the checkout",
                "billing",
                "select count(*) from checkout where user_id::text = $1 and plan = 'deluxe' and period = 'yearly'",
                &me,
            )],
        ),
        post(
            "another plan",
            "/api/user/change-plan".into(),
            (
                json(json!({ "plan": "deluxe", "period": "monthly" })),
                json(json!({ "plan": "deluxe", "period": "yearly" })),
            ),
            "/url",
            vec![effect(
                "its checkout",
                "billing",
                "select count(*) from checkout where user_id::text = $1 and plan = 'deluxe' and period = 'monthly'",
                &me,
            )],
        ),
        post(
            "a report",
            "/api/reports".into(),
            (tell(&report), tell(&words())),
            "/report/number",
            vec![filed(&report)],
        ),
        post(
            "a complaint",
            "/api/complaint".into(),
            (complain(&complaint), complain(&words())),
            "/report/number",
            vec![filed(&complaint)],
        ),
        post(
            "a report of an intimate image",
            "/api/complaint/intimate-image".into(),
            (intimate(&removal), intimate(&words())),
            "/report/number",
            vec![filed(&removal)],
        ),
    ])
}

/// The letters of words that nobody has said before: a name.
fn name_of(words: &str) -> String {
    words.split([' ', ',']).max_by_key(|word| word.len()).unwrap_or_default().to_owned()
}
