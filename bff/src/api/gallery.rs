//! One picture of the gallery: read, changed, taken away and brought back, downloaded, made a portrait.

use axum::{
    Json,
    body::Body,
    extract::State as Shared,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use proto::{
    catalog::v1::SetPortraitRequest,
    media::v1::{
        self as pb, CancelImageRequest, DeleteImageRequest, FetchAssetRequest, GetImageRequest,
        ListImageOptionsRequest, Rendition, RestoreImageRequest, UpdateImageRequest,
    },
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{Done, images::Image, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, Segment},
};

#[derive(Serialize, ToSchema)]
pub struct OneImage {
    success: bool,
    image: Image,
}

impl OneImage {
    fn of(image: Option<pb::Image>) -> Answer<Json<Self>> {
        let image = image.ok_or_else(|| Problem::of("image_not_found"))?.into();
        Ok(Json(Self { success: true, image }))
    }
}

/// One of one's own pictures, or how far its drawing is.
#[utoipa::path(get, path = "/images/{id}", tag = "images", params(("id" = String, Path)), responses((status = 200, body = OneImage)))]
pub async fn show(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<OneImage>> {
    OneImage::of(app.clients.images().get_image(GetImageRequest { id }).await?.into_inner().image)
}

/// What is changed; what is absent stays.
#[derive(Deserialize, ToSchema)]
pub struct ImageChange {
    #[schema(max_length = 100)]
    label: Option<String>,
    /// Shown with the public badge, and opened by its address without a signature.
    public: Option<bool>,
}

/// Label and publicity.
#[utoipa::path(put, path = "/images/{id}", tag = "images", params(("id" = String, Path)), request_body = ImageChange, responses((status = 200, body = OneImage)))]
pub async fn update(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<ImageChange>,
) -> Answer<Json<OneImage>> {
    let request = UpdateImageRequest { id, label: body.label, public: body.public };
    OneImage::of(app.clients.images().update_image(request).await?.into_inner().image)
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageDeleted {
    success: bool,
    /// Until then it can be brought back.
    #[serde(with = "time::serde::rfc3339")]
    erased_at: OffsetDateTime,
}

/// Takes a picture out of the gallery; for a day it can be brought back.
#[utoipa::path(delete, path = "/images/{id}", tag = "images", params(("id" = String, Path)), responses((status = 200, body = ImageDeleted)))]
pub async fn delete(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<ImageDeleted>> {
    let gone = app.clients.images().delete_image(DeleteImageRequest { id }).await?.into_inner();
    Ok(Json(ImageDeleted { success: true, erased_at: when(gone.erased_at.as_ref()) }))
}

/// Brings a deleted picture back.
#[utoipa::path(post, path = "/images/{id}/restore", tag = "images", params(("id" = String, Path)), responses((status = 200, body = OneImage)))]
pub async fn restore(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<OneImage>> {
    OneImage::of(app.clients.images().restore_image(RestoreImageRequest { id }).await?.into_inner().image)
}

/// Ends the drawing of a picture; its coins are given back.
#[utoipa::path(post, path = "/images/{id}/cancel", tag = "images", params(("id" = String, Path)), responses((status = 200, body = OneImage)))]
pub async fn cancel(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Json<OneImage>> {
    OneImage::of(app.clients.images().cancel_image(CancelImageRequest { id }).await?.into_inner().image)
}

/// Whose portrait it becomes.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PortraitOf {
    /// One of one's own characters.
    character_id: String,
}

/// Makes a picture the portrait of one of one's own characters.
#[utoipa::path(post, path = "/images/{id}/portrait", tag = "images", params(("id" = String, Path)), request_body = PortraitOf, responses((status = 200, body = Done)))]
pub async fn portrait(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<PortraitOf>,
) -> Answer<Json<Done>> {
    let image = finished(&app, id).await?;
    let request = SetPortraitRequest { id: body.character_id, image_asset: image.asset };
    app.clients.characters().set_portrait(request).await?;
    Ok(Json(Done::saying("This is the portrait now.")))
}

/// The picture as it is stored, with what it says of itself.
#[utoipa::path(get, path = "/images/{id}/download", tag = "images", params(("id" = String, Path)), responses((status = 200, content_type = "image/webp", body = Vec<u8>)))]
pub async fn download(Shared(app): Shared<State>, Segment(id): Segment<String>) -> Answer<Response> {
    let image = finished(&app, id).await?;
    let (expires, signature) = kit::signature::parts(&image.signature);
    let name = format!("attachment; filename=\"{}.webp\"", image.id);
    let request =
        FetchAssetRequest { asset: image.asset, rendition: Rendition::Full.into(), expires, signature };
    let file = app.clients.assets().fetch_asset(request).await?.into_inner();
    let name = HeaderValue::from_str(&name).map_err(|_| Problem::of("internal"))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/webp")),
        (header::CONTENT_DISPOSITION, name),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-store")),
    ];
    Ok((headers, Body::from(file.data)).into_response())
}

/// One of the caller's pictures that is drawn.
async fn finished(app: &State, id: String) -> Answer<pb::Image> {
    let image = app.clients.images().get_image(GetImageRequest { id }).await?.into_inner().image;
    image.filter(|image| !image.asset.is_empty()).ok_or_else(|| Problem::of("image_not_found"))
}

/// One choice.
#[derive(Serialize, ToSchema)]
pub struct ImageChoice {
    /// As it is sent.
    value: String,
    label: String,
    /// Pictures with it stay private.
    nsfw: bool,
}

/// The choices of one field.
#[derive(Serialize, ToSchema)]
pub struct ImageChoices {
    /// Name of the field in `POST /images/create`.
    field: String,
    choices: Vec<ImageChoice>,
}

#[derive(Serialize, ToSchema)]
pub struct ImageForm {
    success: bool,
    options: Vec<ImageChoices>,
    /// Engine that draws; `playbill` is the one that is built in.
    engine: String,
    /// Coins that a picture costs.
    cost: u32,
}

/// All that can be chosen for a picture.
#[utoipa::path(get, path = "/images/options", tag = "images", responses((status = 200, body = ImageForm)))]
pub async fn options(Shared(app): Shared<State>) -> Answer<Json<ImageForm>> {
    let told = app.clients.images().list_image_options(ListImageOptionsRequest {}).await?.into_inner();
    let choice = |c: pb::ImageChoice| ImageChoice { value: c.value, label: c.label, nsfw: c.nsfw };
    let options = told.options.into_iter().map(|field| ImageChoices {
        field: field.field,
        choices: field.choices.into_iter().map(choice).collect(),
    });
    Ok(Json(ImageForm { success: true, options: options.collect(), engine: told.engine, cost: told.cost }))
}
