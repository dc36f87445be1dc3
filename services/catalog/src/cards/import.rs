//! A card becomes a character of the caller, and is kept beside it.

use kit::{caller::User, error::Failure, idempotency::Held};
use prost::Message as _;
use proto::{
    catalog::v1::{ImportCardRequest, ImportCardResponse, import_card_request::Portrait},
    media::v1::{CreateUploadRequest, UploadPurpose},
};
use uuid::Uuid;

use super::{Read, store};
use crate::{
    App,
    characters::{
        A_CHARACTER, Draft,
        gate::Gate,
        generated_age,
        judging::{aside, judged},
        rows,
    },
    error::{Error, Result},
    limits,
};

/// Said when the card brings no picture, and none was sent.
const NO_PICTURE: &str = "This card has no picture: add one, or let one be drawn.";

impl App {
    pub(super) async fn import(
        &self,
        user: &User,
        ask: ImportCardRequest,
        held: Option<&Held>,
    ) -> Result<ImportCardResponse> {
        self.must_pay(user.id).await?;
        let read = understood(ask.file).await?;
        let mut asked = read.draft.clone();
        asked.nsfw |= ask.nsfw;
        asked.public = ask.public;
        asked.exportable = ask.exportable;
        let generate = match &ask.portrait {
            Some(Portrait::Generate(options)) => Some(options.clone()),
            _ => None,
        };
        if let Some(options) = &generate {
            asked.age = Some(generated_age(options)?);
        }
        let judged = judged(asked, Some(read.file.json.clone())).await;
        let draft = self.within_rules(user.id, A_CHARACTER, judged).await?;
        let id = Uuid::now_v7();
        let image = match (ask.portrait, generate) {
            (_, Some(options)) => {
                self.ask_portrait(user.id, (id, 1), options, &draft).await?;
                String::new()
            }
            (Some(Portrait::Picture(picture)), _) if !picture.is_empty() => {
                self.upload(picture, &draft).await?
            }
            _ => {
                let picture = read.picture().ok_or_else(|| Failure::invalid("picture", NO_PICTURE))?;
                self.upload(picture, &draft).await?
            }
        };
        let standings = self.standings(&draft, &image).await?;

        let mut tx = self.db.begin().await?;
        self.add(&mut tx, user, id, &draft, &standings, (&image, image.is_empty())).await?;
        let files = read.file.assets.iter().map(|file| file.data.len()).sum::<usize>();
        let bytes = i64::try_from(read.file.json.len() + files).unwrap_or(i64::MAX);
        if store::kept(&mut tx, user.id).await?.saturating_add(bytes) > limits::CARDS_BYTES {
            return Err(Error::CardsFull);
        }
        store::keep(&mut tx, id, &read.file.json, &image, &read.file.assets).await?;
        let whole = rows::whole(&mut *tx, id, 0).await?.ok_or(Error::CharacterNotFound)?;
        let answer = ImportCardResponse { character: Gate::of(user.id).full(whole), warnings: read.warnings };
        if let Some(held) = held {
            held.finish(&mut *tx, &answer.encode_to_vec()).await?;
        }
        tx.commit().await?;
        metrics::counter!("cards_imported_total").increment(1);
        Ok(answer)
    }

    async fn upload(&self, data: Vec<u8>, draft: &Draft) -> Result<String> {
        let request = CreateUploadRequest {
            data,
            purpose: UploadPurpose::Portrait.into(),
            private: draft.nsfw || !draft.public,
        };
        let made = self.uploads.clone().create_upload(request).await.map_err(Error::Upstream)?;
        Ok(made.into_inner().asset)
    }
}

/// Reads a card where it keeps nobody waiting.
pub async fn understood(file: Vec<u8>) -> Result<Read> {
    Ok(aside(move || super::read(&file)).await?.map_err(Failure::from)?)
}
