//! Whoever has been here for long: a chat of thousands of messages, a gallery of thousands of pictures. What they open
//! and say costs what it costs everybody.

use anyhow::{Context as _, Result, anyhow};
use reqwest::Method;
use tokio::task::block_in_place;
use xtask::seed;

use super::{
    House,
    load::closed,
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
    let mut beside = |what: String, ours: f64, usual: f64| {
        let name = format!("ms of {USUAL} messages");
        let row = Row::new(7, what, "ms", ours).beside(name, usual).at_most(LONGER).of_ratio();
        report.rows.push(row);
    };
    let (ours, theirs) = (long.opened(house).await?, usual.opened(house).await?);
    beside(format!("a chat of {messages} messages is opened, p50"), ours, theirs);
    let (ours, theirs) = (long.answered(house).await?, usual.answered(house).await?);
    beside(format!("a turn in a chat of {messages} messages, p50"), ours, theirs);
    if house.quick {
        return Ok(());
    }

    let instance = &house.stand.instance;
    block_in_place(|| {
        let user = seed::user_id(instance, &long.chat.owner.username)?;
        seed::images(instance, &user, IMAGES)
    })
    .map_err(|e| anyhow!(e))?;
    let page = async |number: u32| -> Result<f64> {
        let (owner, path) = (long.chat.owner.clone(), format!("/api/images?page={number}"));
        looked(house, owner, path).await
    };
    let first = long.chat.owner.ask(Method::GET, "/api/images", None).await?;
    let each = first["images"].as_array().map_or(0, Vec::len);
    let last = IMAGES / u32::try_from(each).ok().filter(|n| *n > 0).context("no pictures")?;
    report.rows.push(
        Row::new(7, format!("page {last} of a gallery of {IMAGES} pictures, p50"), "ms", page(last).await?)
            .beside("ms page 1", page(1).await?)
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

    /// The last page of it, p50 in ms.
    async fn opened(&self, house: &House) -> Result<f64> {
        looked(house, self.chat.owner.clone(), format!("/api/chats/{}/messages", self.character)).await
    }

    /// A turn in it, p50 in ms.
    async fn answered(&self, house: &House) -> Result<f64> {
        let chat = self.chat.clone();
        let say = move |_| {
            let chat = chat.clone();
            async move { chat.turn().await.map(drop) }
        };
        closed(1, house.warm(), say.clone()).await.sound("turns of one person, warming up")?;
        Ok(closed(1, house.lasts(), say).await.sound("turns of one person")?.percentile(50.0))
    }
}

/// One page again and again, p50 in ms.
async fn looked(house: &House, owner: Guest, path: String) -> Result<f64> {
    let look = move |_| {
        let (owner, path) = (owner.clone(), path.clone());
        async move { owner.ask(Method::GET, &path, None).await.map(drop) }
    };
    closed(1, house.warm(), look.clone()).await.sound("a page, warming up")?;
    Ok(closed(1, house.lasts() / 2, look).await.sound("a page")?.percentile(50.0))
}
