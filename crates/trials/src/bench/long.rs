//! Whoever has been here for long: a chat of thousands of messages, a gallery of thousands of pictures. What they open
//! and say costs what it costs everybody.

use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use reqwest::Method;
use tokio::task::block_in_place;
use xtask::seed;

use super::{
    House,
    load::{Work, alone, closed, in_turns},
    report::{Report, Row},
    turns::Chat,
};
use crate::{guest::Guest, upstream::Script};

/// Messages of a long chat in a whole run, and in a quick one.
const MESSAGES: (u32, u32) = (10_000, 2_000);
/// Messages of the chat beside it: more than a page, and more than a prompt holds.
const USUAL: u32 = 400;
/// Pictures of a gallery; a quick run has none, for it takes longer to fill than to measure.
const IMAGES: u32 = 5_000;
/// Stretches of what is measured in turns with what is usual: one after the other, the first of them would bear what the
/// filling before it has left to do.
const STRETCHES: usize = 5;
/// How much longer anything may take.
const LONGER: f64 = 2.0;

/// A part of goal 7: what lies deep.
///
/// # Errors
/// When something fails that should not.
pub async fn lives(house: &House, report: &mut Report) -> Result<()> {
    house.upstream.plays(Script::default());
    let messages = if house.quick { MESSAGES.1 } else { MESSAGES.0 };
    let (usual, long) = (Life::lived(house, USUAL).await?, Life::lived(house, messages).await?);
    let mut beside = |what: String, [ours, usual]: [f64; 2]| {
        let name = format!("ms of {USUAL} messages");
        let row = Row::new(7, what, "ms", ours).beside(name, usual).at_most(LONGER).of_ratio();
        report.rows.push(row);
    };
    let opened = both(house, house.lasts() / 2, long.opened(), usual.opened(), "a chat").await?;
    beside(format!("a chat of {messages} messages is opened, p50"), opened);
    let answered =
        both(house, house.lasts(), long.answered(), usual.answered(), "turns of one person").await?;
    beside(format!("a turn in a chat of {messages} messages, p50"), answered);
    if house.quick {
        return Ok(());
    }

    let instance = &house.stand.instance;
    block_in_place(|| {
        let user = seed::user_id(instance, &long.chat.owner.username)?;
        seed::images(instance, &user, IMAGES)
    })
    .map_err(|e| anyhow!(e))?;
    let first = long.chat.owner.ask(Method::GET, "/api/images", None).await?;
    let each = first["images"].as_array().map_or(0, Vec::len);
    let last = IMAGES / u32::try_from(each).ok().filter(|n| *n > 0).context("no pictures")?;
    let page = |number: u32| look(&long.chat.owner, format!("/api/images?page={number}"));
    let [deep, first] = both(house, house.lasts() / 2, page(last), page(1), "a page of a gallery").await?;
    report.rows.push(
        Row::new(7, format!("page {last} of a gallery of {IMAGES} pictures, p50"), "ms", deep)
            .beside("ms page 1", first)
            .at_most(LONGER)
            .of_ratio(),
    );
    Ok(())
}

/// Somebody with one chat.
struct Life {
    chat: Chat,
    character: String,
}

impl Life {
    async fn lived(house: &House, messages: u32) -> Result<Self> {
        let owner = Guest::new(&house.http, &house.direct).await?;
        owner.subscribe("deluxe").await?;
        let instance = &house.stand.instance;
        block_in_place(|| {
            let user = seed::user_id(instance, &owner.username)?;
            seed::chat(instance, &user, messages)
        })
        .map_err(|e| anyhow!(e))?;
        let chats = owner.ask(Method::GET, "/api/chats", None).await?;
        let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
        let (id, character) = (text(&chats[0]["_id"]), text(&chats[0]["character"]["_id"]));
        let (Some(id), Some(character)) = (id, character) else { return Err(anyhow!("no chat: {chats}")) };
        Ok(Self { chat: Chat { owner, id }, character })
    }

    /// The last page of it.
    fn opened(&self) -> impl Work + Clone + use<> {
        look(&self.chat.owner, format!("/api/chats/{}/messages", self.character))
    }

    /// A turn in it.
    fn answered(&self) -> impl Work + Clone + use<> {
        let chat = self.chat.clone();
        move |_| {
            let chat = chat.clone();
            async move { chat.turn().await.map(drop) }
        }
    }
}

/// One page again and again.
fn look(owner: &Guest, path: String) -> impl Work + Clone + use<> {
    let owner = owner.clone();
    move |_| {
        let (owner, path) = (owner.clone(), path.clone());
        async move { owner.ask(Method::GET, &path, None).await.map(drop) }
    }
}

/// What somebody does who has been here for long and what is usual, in turns, `lasts` of each in all: p50 of both, in ms.
async fn both(
    house: &House,
    lasts: Duration,
    ours: impl Work + Clone,
    usual: impl Work + Clone,
    what: &'static str,
) -> Result<[f64; 2]> {
    closed(1, house.warm(), ours.clone()).await.sound("warming up")?;
    closed(1, house.warm(), usual.clone()).await.sound("warming up")?;
    let each = lasts / u32::try_from(STRETCHES)?;
    let both = in_turns(STRETCHES, [&mut alone(each, ours, what), &mut alone(each, usual, what)]).await?;
    Ok(both.map(|turns| turns.percentile(50.0)))
}
