//! Pictures of the gallery.

use axum::{Json, extract::State as Shared, http::StatusCode};
use proto::{
    catalog::v1::GetViewerRequest,
    media::v1::{self as pb, CreateImageRequest, JobState, ListImagesRequest},
};
use serde::{Deserialize, Deserializer, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};

use super::{Said, or_null, when};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, QueryArgs},
    media::{Size, address},
};

/// What the form says when a picture is queued.
const QUEUED: &str = "Image is queued up! You can view it in your gallery soon.";
/// Pictures of a page.
const PAGE: u32 = 20;

/// The choices of a picture; what is empty is left to the engine. The label is that of the gallery, and of no
/// meaning for a portrait.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ImageOptions {
    gender: String,
    ethnicity: String,
    /// `18`, `20s`, `30s`, `40s` or `50s`.
    #[serde(deserialize_with = "text_or_number")]
    age: String,
    hair_color: String,
    face: String,
    #[schema(max_length = 60)]
    pose: String,
    breast_size: String,
    body_type: String,
    style: String,
    #[schema(max_length = 1000)]
    prompt: String,
    #[schema(max_length = 100)]
    label: String,
}

/// Ages are sometimes sent as numbers.
fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Number(u32),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::Text(text) => text,
        Either::Number(number) => number.to_string(),
    })
}

impl From<ImageOptions> for pb::ImageOptions {
    fn from(o: ImageOptions) -> Self {
        Self {
            gender: o.gender,
            ethnicity: o.ethnicity,
            age: o.age,
            hair_color: o.hair_color,
            face: o.face,
            pose: o.pose,
            breast_size: o.breast_size,
            body_type: o.body_type,
            style: o.style,
            prompt: o.prompt,
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageState {
    Queued,
    Running,
    Completed,
    Failed,
    Canceled,
}

/// A picture of the gallery, or its job.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    #[serde(rename = "_id")]
    id: String,
    /// As drawn; null until completed.
    #[schema(required)]
    image_url: Option<String>,
    /// 480 px wide.
    #[schema(required)]
    thumb_url: Option<String>,
    label: String,
    public: bool,
    state: ImageState,
    /// Stable reason when failed.
    #[schema(required)]
    reason: Option<String>,
    /// Pixels.
    width: u32,
    height: u32,
    prompt: String,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    /// Coins.
    cost: u32,
    /// How much of it is drawn, 0 to 1.
    progress: f32,
    /// Whether it may be shown to others.
    standing: Standing,
}

/// Whether a picture may be shown to others than its owner.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    Passed,
    /// It is looked at first.
    Waiting,
    Refused,
}

impl From<pb::Image> for Image {
    fn from(image: pb::Image) -> Self {
        let state = match image.state() {
            JobState::Unspecified | JobState::Queued => ImageState::Queued,
            JobState::Running => ImageState::Running,
            JobState::Completed => ImageState::Completed,
            JobState::Failed => ImageState::Failed,
            JobState::Canceled => ImageState::Canceled,
        };
        let standing = match image.standing() {
            pb::Standing::Passed => Standing::Passed,
            pb::Standing::Unspecified | pb::Standing::Waiting => Standing::Waiting,
            pb::Standing::Refused => Standing::Refused,
        };
        Self {
            image_url: address(&image.asset, Size::Full, &image.signature),
            thumb_url: address(&image.asset, Size::Card, &image.signature),
            created_at: when(image.created_at.as_ref()),
            id: image.id,
            label: image.label,
            public: image.public,
            state,
            reason: or_null(image.reason),
            width: image.width,
            height: image.height,
            prompt: image.prompt,
            cost: image.cost,
            progress: image.progress,
            standing,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct ImageQueued {
    success: bool,
    image: Image,
    #[serde(flatten)]
    said: Said,
}

/// Queues a picture; coins are reserved.
#[utoipa::path(post, path = "/images/create", tag = "images", request_body = ImageOptions, params(("Idempotency-Key" = Option<String>, Header)), responses((status = 202, body = ImageQueued)))]
pub async fn create(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<ImageOptions>,
) -> Answer<(StatusCode, Json<ImageQueued>)> {
    let label = body.label.clone();
    // Catalog knows where the reader stands; only these choices depend on it.
    let depends = !body.pose.is_empty() || !body.face.is_empty();
    let nsfw = depends && {
        let viewer = app.clients.viewers().get_viewer(GetViewerRequest {}).await?.into_inner().viewer;
        viewer.is_some_and(|viewer| viewer.nsfw_on && viewer.age_confirmed)
    };
    let request = CreateImageRequest { options: Some(body.into()), label, nsfw };
    let image = app.clients.images().create_image(request).await?.into_inner().image;
    let image = image.ok_or_else(|| Problem::of("internal"))?.into();
    Ok((StatusCode::ACCEPTED, Json(ImageQueued { success: true, image, said: Said::new(QUEUED) })))
}

/// Which page.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ImageArgs {
    /// From 1.
    #[param(minimum = 1)]
    page: Option<u32>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImagePage {
    success: bool,
    images: Vec<Image>,
    has_next_page: bool,
    current_page: u32,
}

/// One's own pictures, the newest first.
#[utoipa::path(get, path = "/images", tag = "images", params(ImageArgs), responses((status = 200, body = ImagePage)))]
pub async fn list(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<ImageArgs>,
) -> Answer<Json<ImagePage>> {
    let page = args.page.unwrap_or(1);
    if page == 0 {
        return Err(Problem::field("page", "Counted from 1."));
    }
    let found = app.clients.images().list_images(ListImagesRequest { page, limit: PAGE }).await?.into_inner();
    Ok(Json(ImagePage {
        success: true,
        images: found.images.into_iter().map(Into::into).collect(),
        has_next_page: found.has_next_page,
        current_page: page,
    }))
}
