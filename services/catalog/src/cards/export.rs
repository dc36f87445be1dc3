//! A character as a card file, as it stands now.

use std::io::Cursor;

use image::{ImageFormat, ImageReader};
use kit::error::Failure;
use proto::{
    catalog::v1::{CardFormat, CardVersion, ExportCardRequest, ExportCardResponse},
    media::v1::{FetchAssetRequest, Rendition, SignUrlsRequest},
};
use uuid::Uuid;

use super::{
    Doc, embedded, store,
    write::{
        self,
        merge::{self, Now, Version},
    },
};
use crate::{
    App,
    characters::{self, rows},
    error::{Error, Result},
    limits, viewers,
};

const NO_PICTURE: &str = "There is no picture yet: take the card as JSON.";

impl App {
    pub(super) async fn export(&self, user: Uuid, ask: ExportCardRequest) -> Result<ExportCardResponse> {
        let id = kit::ids::find("character_not_found", &ask.id)?;
        let gate = viewers::gate(&self.db, Some(user)).await?;
        let rows::Whole { row, extras, .. } =
            rows::whole(&self.db, id, 0).await?.ok_or(Error::CharacterNotFound)?;
        gate.export(&row)?;
        let original = store::original(&self.db, id).await?;
        let draft = row.draft();
        let now = Now { draft: &draft, extras: &extras, creator: row.creator_name() };
        let text = original.as_ref().map(|original| original.json.as_str());
        let version = match ask.version() {
            CardVersion::V1 if ask.format() == CardFormat::Charx => {
                return Err(Failure::invalid("version", "A CHARX holds a card of version 3.").into());
            }
            CardVersion::V1 => Version::V1,
            CardVersion::V2 => Version::V2,
            CardVersion::V3 | CardVersion::Unspecified => Version::V3,
        };
        // What came with the card is its owner's alone: others get what was looked at.
        let own = gate.owns(&row);
        let written = |version| {
            let json = merge::json(text, &now, version);
            if own { json } else { merge::without_files(&json) }
        };
        let assets = if own { store::assets(&self.db, id).await? } else { Vec::new() };
        let json = written(version);
        let name = file_name(row.name());
        let answer = |data, content_type: &str, ending: &str| ExportCardResponse {
            data,
            content_type: content_type.into(),
            file_name: [&name, ending].concat(),
        };
        match ask.format() {
            CardFormat::Json => Ok(answer(json.into_bytes(), "application/json", ".json")),
            CardFormat::Png | CardFormat::Unspecified => {
                // Programs that read no version 3 find version 2 beside it.
                let second = if version == Version::V3 { written(Version::V2) } else { json.clone() };
                let picture = self.picture(row.image_asset()).await?;
                let mut cards = vec![("chara", second.as_str())];
                if version == Version::V3 {
                    cards.push(("ccv3", json.as_str()));
                    let texts = assets.iter().map(|file| file.data.len());
                    let texts: Vec<usize> = texts.chain(cards.iter().map(|(_, json)| json.len())).collect();
                    // The largest fit into one answer once only.
                    if write::png_bytes(picture.len(), &texts) > limits::CARD_MESSAGE {
                        cards.remove(0);
                    }
                }
                Ok(answer(write::png(&picture, &cards, &assets), "image/png", ".png"))
            }
            CardFormat::Charx => {
                let data = Doc::read(&json).ok().and_then(|top| top.object("data")).unwrap_or_default();
                let has_icon = merge::icon(&data).is_some_and(|uri| embedded(&uri, &assets).is_some());
                let kept = original.as_ref().is_some_and(|original| original.portrait == row.image_asset());
                let written = if has_icon && kept {
                    write::charx(&json, &assets, None)
                } else {
                    let picture = self.picture(row.image_asset()).await?;
                    write::charx(&merge::with_portrait(&json), &assets, Some(&picture))
                };
                let file = written.map_err(|error| {
                    tracing::error!(%error, "a CHARX was not written");
                    Failure::internal()
                })?;
                Ok(answer(file, "application/zip", ".charx"))
            }
        }
    }

    /// The portrait as PNG.
    async fn picture(&self, asset: &str) -> Result<Vec<u8>> {
        if asset.is_empty() {
            return Err(Failure::invalid("format", NO_PICTURE).into());
        }
        let mut assets = self.assets.clone();
        let signed = assets.sign_urls(SignUrlsRequest { assets: vec![asset.to_owned()] }).await;
        let queries = signed.map_err(Error::Upstream)?.into_inner().queries;
        let (expires, signature) =
            queries.get(asset).map(|query| kit::signature::parts(query)).unwrap_or_default();
        let request = FetchAssetRequest {
            asset: asset.to_owned(),
            rendition: Rendition::Full.into(),
            expires,
            signature,
        };
        let found = assets.fetch_asset(request).await.map_err(Error::Upstream)?.into_inner();
        let decoded = tokio::task::spawn_blocking(move || as_png(&found.data)).await;
        decoded.ok().flatten().ok_or_else(|| {
            tracing::error!(asset, "a portrait that cannot be decoded");
            Failure::internal().into()
        })
    }
}

/// With what it says of itself: that an engine made it is true of every copy.
fn as_png(bytes: &[u8]) -> Option<Vec<u8>> {
    let picture = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?.decode().ok()?;
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png).ok()?;
    Some(write::mark::marked(png.into_inner(), bytes))
}

/// A name that every system takes.
fn file_name(name: &str) -> String {
    let slug: String =
        characters::slug(name).chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "character".into() } else { slug.to_owned() }
}
