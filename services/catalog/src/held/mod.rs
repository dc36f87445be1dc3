//! What keeps a character from others until it was looked at: a rule that wants a moderator, a classifier that has
//! not answered, a picture that waits. Whatever cannot be asked holds (it fails closed).

mod decide;
mod grpc;
pub mod store;
pub mod watch;

use kit::db::Transaction;
use moderation::Rule;
use proto::media::v1::{GetStandingsRequest, Standing};
use uuid::Uuid;

use crate::{App, Assets, error::Result, reports};

/// Said when no rule says it better.
const BY_A_MODERATOR: &str = "A moderator looks at it first.";
const BY_CHECK: &str = "It is being checked. This takes a moment.";
const BY_PORTRAIT: &str = "Its picture is being looked at.";

/// How the texts and the picture of a character stand, as it is saved.
#[derive(Debug, Clone)]
pub struct Standings {
    /// Of all its texts.
    pub digest: Vec<u8>,
    pub hold: Option<Rule>,
    pub limit: Option<Rule>,
    /// The classifier is to be asked, unless it has passed these texts.
    pub check: bool,
    /// The picture that was asked about; empty when there is none.
    pub image: String,
    /// It waits.
    pub waiting: bool,
}

/// Why a character is held, for its owner.
#[must_use]
pub fn because(holds: &[String]) -> String {
    let told: Vec<&str> = holds
        .iter()
        .map(|hold| match hold.split_once(':') {
            Some(("rule", rule)) => Rule::named(rule).map_or(BY_A_MODERATOR, Rule::public_text),
            Some(("portrait", _)) => BY_PORTRAIT,
            _ => BY_CHECK,
        })
        .collect();
    told.join(" ")
}

/// Brings what holds a character up to date with what was saved, and its state with that.
pub async fn save(tx: &mut Transaction, id: Uuid, now: &Standings) -> Result<()> {
    let passed = store::passed(tx, id).await?;
    let approved = passed.approved.as_ref() == Some(&now.digest);
    let checked = approved || passed.checked.as_ref() == Some(&now.digest);
    match now.hold.filter(|_| !approved) {
        Some(rule) => store::hold(tx, id, "rule", rule.as_str(), &now.digest).await?,
        // What the classifier held goes on holding as long as the texts are the same.
        None => store::release_others(tx, id, &now.digest).await?,
    }
    if now.check && !checked {
        store::hold(tx, id, "check", "", &now.digest).await?;
    } else {
        store::release(tx, id, "check").await?;
    }
    // Another picture that has come meanwhile was looked at by itself.
    if passed.image_asset == now.image {
        if now.waiting {
            store::hold(tx, id, "portrait", &now.image, &now.digest).await?;
        } else {
            store::release(tx, id, "portrait").await?;
        }
    }
    match now.limit {
        Some(rule) => store::limit(tx, id, rule.as_str()).await?,
        None if checked => {}
        None => store::limit(tx, id, "").await?,
    }
    settle(tx, id).await
}

/// Brings a character's state up to what holds and limits it, and what reports say.
pub async fn settle(tx: &mut Transaction, id: Uuid) -> Result<()> {
    let Some(base) = store::base(tx, id).await? else { return Ok(()) };
    reports::rebase(tx, id, &base).await
}

/// Who may see a picture, as media tells.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub standing: Standing,
    /// Never opened without a signature: nothing for a character that everybody sees.
    pub private_only: bool,
}

/// Asks media about a picture. One that is not known, or cannot be asked about, waits.
pub async fn look(assets: &Assets, asset: &str) -> Look {
    let request = GetStandingsRequest { assets: vec![asset.to_owned()] };
    match assets.clone().get_standings(request).await {
        Ok(answer) => {
            let told = answer.into_inner();
            let standing = told.standings.get(asset).and_then(|s| Standing::try_from(*s).ok());
            Look {
                standing: standing.unwrap_or(Standing::Waiting),
                private_only: told.private_only.iter().any(|only| only == asset),
            }
        }
        Err(status) => {
            tracing::warn!(code = ?status.code(), "a picture's standing is not known: it waits");
            Look { standing: Standing::Waiting, private_only: false }
        }
    }
}

/// How a picture stands.
pub async fn standing(assets: &Assets, asset: &str) -> Standing {
    look(assets, asset).await.standing
}

/// A picture has become a character's: how it stands decides whether others see the character.
pub async fn picture(tx: &mut Transaction, id: Uuid, asset: &str, standing: Standing) -> Result<()> {
    match standing {
        Standing::Passed => {
            store::release(tx, id, "portrait").await?;
            settle(tx, id).await
        }
        Standing::Refused => watch::picture_judged(tx, asset, false, "").await,
        Standing::Waiting | Standing::Unspecified => {
            store::hold(tx, id, "portrait", asset, &[]).await?;
            settle(tx, id).await
        }
    }
}

impl App {
    /// Whether a classifier is to be asked before others see a character.
    pub(crate) fn checks(&self, public: bool) -> bool {
        public && self.classifier.is_some()
    }
}
