//! Asks again and again about what holds characters, until there is an answer: the classifier about texts, media
//! about pictures. Whoever is away holds.

use futures::{StreamExt as _, stream};
use kit::{
    db::{Db, Transaction},
    shutdown::Shutdown,
};
use moderation::{Place, Verdict, classifier::Classifier};
use proto::media::v1::Standing;
use tokio::{task::JoinSet, time::timeout};

use super::store::{self, Due};
use crate::{
    Assets, cards,
    characters::{self, rows},
    error::Result,
    limits,
};

#[derive(Clone)]
pub struct Watch {
    pub db: Db,
    pub assets: Assets,
    pub classifier: Option<Classifier>,
}

impl Watch {
    /// Until shutdown.
    pub async fn run(self, shutdown: Shutdown) {
        // A large one keeps the others waiting no more than a small one does, and neither does one that fails.
        let mut asked = JoinSet::new();
        loop {
            match store::claim(&self.db, limits::HOLDS_AT_ONCE - asked.len()).await {
                Ok(due) => due.into_iter().for_each(|held| {
                    let watch = self.clone();
                    asked.spawn(async move { watch.about(held).await });
                }),
                Err(error) => tracing::warn!(%error, "what holds characters was not asked about"),
            }
            tokio::select! {
                Some(_) = asked.join_next() => {}
                () = tokio::time::sleep(limits::HOLD_LOOK) => {}
                () = shutdown.wait() => return,
            }
        }
    }

    async fn about(&self, held: Due) {
        let work = async {
            if held.kind == "portrait" { self.portrait(&held).await } else { self.texts(&held).await }
        };
        match timeout(limits::HOLD_WORK, work).await {
            Ok(Ok(true)) => return,
            Ok(Ok(false)) => {}
            Ok(Err(error)) => tracing::warn!(%error, character = %held.character_id, "not asked about"),
            Err(_) => tracing::warn!(character = %held.character_id, "asking about it takes too long"),
        }
        if let Err(error) = store::put_off(&self.db, &held).await {
            tracing::warn!(%error, character = %held.character_id, "not put off");
        }
    }

    /// False when there is no answer yet.
    async fn portrait(&self, held: &Due) -> Result<bool> {
        let passed = match super::standing(&self.assets, &held.about).await {
            Standing::Passed => true,
            Standing::Refused => false,
            Standing::Waiting | Standing::Unspecified => return Ok(false),
        };
        self.judged(&held.about, passed, "").await?;
        Ok(true)
    }

    async fn judged(&self, asset: &str, passed: bool, rule: &str) -> Result<()> {
        let mut tx = self.db.begin().await?;
        picture_judged(&mut tx, asset, passed, rule).await?;
        tx.commit().await?;
        Ok(())
    }

    /// False when there is no answer yet.
    async fn texts(&self, held: &Due) -> Result<bool> {
        let verdict = match &self.classifier {
            // It was taken out of the configuration meanwhile: the rules decide.
            None => Some(Verdict::Allow),
            Some(classifier) => self.ask(classifier, held).await?,
        };
        let Some(verdict) = verdict else { return Ok(false) };
        let mut tx = self.db.begin().await?;
        if store::still(&mut tx, held).await? {
            store::release(&mut tx, held.character_id, "check").await?;
            store::note_checked(&mut tx, held.character_id, &held.digest).await?;
            match verdict {
                Verdict::Allow => {}
                Verdict::Limit(rule) => store::limit(&mut tx, held.character_id, rule.as_str()).await?,
                // A machine's word alone removes nothing: a person decides.
                Verdict::Hold(rule) | Verdict::Refuse(rule) => {
                    store::hold(&mut tx, held.character_id, "rule", rule.as_str(), &held.digest).await?;
                }
            }
            super::settle(&mut tx, held.character_id).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// The gravest verdict about all texts; `None` when there is no answer, or the texts are others by now.
    async fn ask(&self, classifier: &Classifier, held: &Due) -> Result<Option<Verdict>> {
        let Some(whole) = rows::whole(&self.db, held.character_id, 0).await? else { return Ok(None) };
        let hidden = cards::hidden(&self.db, held.character_id).await?;
        let texts = whole.row.words(&whole.extras, &hidden).all().into_iter();
        let texts: Vec<String> = texts.map(|(_, _, text)| text).collect();
        let mut gravest = Verdict::Allow;
        let parts = parts(&texts.join("\n\n"), limits::CHECK_CHARS);
        let asked = stream::iter(parts).map(|part| async move { classifier.text(&part, Place::Card).await });
        let mut answers = asked.buffer_unordered(limits::PARTS_AT_ONCE);
        while let Some(answer) = answers.next().await {
            match answer {
                Ok(verdict) => gravest = characters::graver(gravest, verdict),
                Err(error) => {
                    tracing::warn!(%error, "a character waits for the classifier");
                    return Ok(None);
                }
            }
        }
        Ok(Some(gravest))
    }
}

/// A text in parts of so many characters.
fn parts(text: &str, chars: usize) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(chars).map(|part| part.iter().collect()).collect()
}

/// Somebody has looked at a picture: what waited for it is released, or loses it.
pub async fn picture_judged(tx: &mut Transaction, asset: &str, passed: bool, rule: &str) -> Result<()> {
    let mut touched = store::waiting_for(tx, asset).await?;
    if !passed {
        for (id, owner, name) in store::drop_picture(tx, asset).await? {
            super::decide::tell_picture_gone(tx, owner, &name, rule).await?;
            touched.push(id);
        }
    }
    touched.sort_unstable();
    touched.dedup();
    for id in touched {
        store::release_picture(tx, id, asset).await?;
        super::settle(tx, id).await?;
        if !passed {
            crate::events::character_changed(tx, id).await?;
        }
    }
    Ok(())
}
