//! Asks again and again about what holds characters, until there is an answer: the classifier about texts, media
//! about pictures. Whoever is away holds.

use kit::shutdown::Shutdown;
use moderation::{Verdict, classifier::Classifier};
use proto::media::v1::Standing;
use sqlx::PgPool;

use super::store::{self, Due};
use crate::{
    Assets, cards,
    characters::{self, store as rows},
    error::Result,
    limits,
};

#[derive(Clone)]
pub struct Watch {
    pub db: PgPool,
    pub assets: Assets,
    pub classifier: Option<Classifier>,
}

impl Watch {
    /// Until shutdown.
    pub async fn run(self, shutdown: Shutdown) {
        loop {
            match self.once().await {
                Ok(0) => {}
                Ok(asked) => {
                    tracing::debug!(asked, "what holds characters was asked about");
                    continue;
                }
                Err(error) => tracing::warn!(%error, "what holds characters was not asked about"),
            }
            tokio::select! { () = tokio::time::sleep(limits::HOLD_LOOK) => {}, () = shutdown.wait() => return }
        }
    }

    async fn once(&self) -> Result<usize> {
        let due = store::claim(&self.db).await?;
        for held in &due {
            if held.kind == "portrait" {
                self.portrait(held).await?;
            } else {
                self.texts(held).await?;
            }
        }
        Ok(due.len())
    }

    async fn portrait(&self, held: &Due) -> Result<()> {
        match super::standing(&self.assets, &held.about).await {
            Standing::Passed => self.judged(&held.about, true, "").await,
            Standing::Refused => self.judged(&held.about, false, "").await,
            Standing::Waiting | Standing::Unspecified => Ok(()),
        }
    }

    async fn judged(&self, asset: &str, passed: bool, rule: &str) -> Result<()> {
        let mut tx = self.db.begin().await?;
        picture_judged(&mut tx, asset, passed, rule).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn texts(&self, held: &Due) -> Result<()> {
        let verdict = match &self.classifier {
            // It was taken out of the configuration meanwhile: the rules decide.
            None => Some(Verdict::Allow),
            Some(classifier) => self.ask(classifier, held).await?,
        };
        let Some(verdict) = verdict else { return Ok(()) };
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
        Ok(())
    }

    /// The gravest verdict about all texts; `None` when there is no answer, or the texts are others by now.
    async fn ask(&self, classifier: &Classifier, held: &Due) -> Result<Option<Verdict>> {
        let rows = rows::find(&self.db, &[held.character_id]).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let extras = rows::extras(&self.db, held.character_id).await?;
        let hidden = cards::hidden(&self.db, held.character_id).await?;
        let texts = row.words(&extras, &hidden).all().into_iter();
        let texts: Vec<String> = texts.map(|(_, _, text)| text).collect();
        let mut gravest = Verdict::Allow;
        for part in parts(&texts.join("\n\n"), limits::CHECK_CHARS) {
            match classifier.text(&part).await {
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
pub async fn picture_judged(
    tx: &mut sqlx::PgTransaction<'_>,
    asset: &str,
    passed: bool,
    rule: &str,
) -> Result<()> {
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
