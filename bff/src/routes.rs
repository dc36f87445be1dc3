//! Every route, and in one place: who may use it, how often, for how long.

use std::time::Duration;

use axum::{
    Router,
    body::Body,
    extract::DefaultBodyLimit,
    http::{self, HeaderValue, Method, header},
    middleware::{from_fn, from_fn_with_state, map_response},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use tower::ServiceBuilder;
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{CompressionBody, CompressionLayer},
};
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};
use utoipa_swagger_ui::SwaggerUi;

use crate::{
    State,
    api::{
        account_data, admin, auth, billing, blocks, branches, cards, characters, chats, creators, events,
        gallery, held, images, judgements, listings, lorebooks, memories, meta, notifications, people,
        personas, prompts, reactions, reports, reviews, sampling, security as safety, shelf, subscriptions,
        transfer, turns, users,
    },
    errors::{ErrorBody, Problem},
    limits::{BODY_BYTES, CARD_FORM_BYTES, Group, MULTIPART_BYTES, WEBHOOK_BYTES},
    media, openapi, pages, security, spa,
};

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everyone; a token is not looked at.
    Anyone,
    /// Visitors too; a token that is sent must hold.
    Visitors,
    /// Signed-in people.
    Users,
}

/// The routes that a visitor may use. All others answer 401 without a valid token.
pub const OPEN: &[(Method, &str, Access)] = &[
    (Method::POST, "/api/signup", Access::Anyone),
    (Method::POST, "/api/verify", Access::Anyone),
    (Method::POST, "/api/verify/resend", Access::Anyone),
    (Method::POST, "/api/login", Access::Anyone),
    (Method::POST, "/api/forgot-password", Access::Anyone),
    (Method::POST, "/api/reset-password", Access::Anyone),
    (Method::GET, "/api/user/{username}", Access::Visitors),
    (Method::GET, "/api/user/{id}/followers", Access::Visitors),
    (Method::GET, "/api/user/{id}/following", Access::Visitors),
    (Method::GET, "/api/search", Access::Visitors),
    (Method::GET, "/api/categories", Access::Visitors),
    (Method::GET, "/api/creators/top", Access::Visitors),
    (Method::GET, "/api/characters/tag/{tag}", Access::Visitors),
    (Method::GET, "/api/characters/tag/me", Access::Visitors),
    (Method::GET, "/api/characters/featured", Access::Visitors),
    (Method::GET, "/api/characters/trending", Access::Visitors),
    (Method::GET, "/api/character/{id}", Access::Visitors),
    (Method::GET, "/api/character/{id}/reviews", Access::Visitors),
    (Method::POST, "/api/complaint", Access::Visitors),
    (Method::POST, "/api/complaint/intimate-image", Access::Visitors),
    (Method::GET, "/api/reports/{number}", Access::Visitors),
    (Method::POST, "/api/reports/{number}/appeal", Access::Visitors),
    (Method::GET, "/api/plans", Access::Anyone),
    (Method::GET, "/api/meta", Access::Anyone),
    (Method::GET, "/api/openapi.json", Access::Anyone),
    (Method::GET, "/api/docs", Access::Anyone),
    (Method::GET, "/api/docs/", Access::Anyone),
    (Method::GET, "/api/docs/{*rest}", Access::Anyone),
    (Method::GET, "/media/{asset}/{file}", Access::Anyone),
    (Method::GET, "/sandbox.css", Access::Anyone),
    (Method::GET, "/sandbox/checkout/{id}", Access::Anyone),
    (Method::POST, "/sandbox/checkout/{id}", Access::Anyone),
    (Method::POST, "/webhooks/{provider}", Access::Anyone),
    (Method::GET, "/dev/mailbox", Access::Anyone),
    (Method::GET, "/dev/mailbox.json", Access::Anyone),
];

/// Who may use a route.
#[must_use]
pub fn access(method: &Method, path: &str) -> Access {
    OPEN.iter().find(|(m, p, _)| m == method && *p == path).map_or(Access::Users, |(_, _, access)| *access)
}

/// Which rate a route counts against.
#[must_use]
pub fn group(method: &Method, path: &str) -> Group {
    match path {
        "/api/signup"
        | "/api/verify"
        | "/api/verify/resend"
        | "/api/login"
        | "/api/forgot-password"
        | "/api/reset-password"
        | "/api/user/update-password"
        | "/api/devices/sign-out"
        | "/api/devices/{id}/sign-out"
        | "/api/complaint"
        | "/api/complaint/intimate-image" => Group::Accounts,
        _ if path.starts_with("/api/two-step/") || path.starts_with("/api/account/") => Group::Accounts,
        "/api/create" | "/api/images/create" | "/api/characters/{id}" | "/api/user/update" => Group::Create,
        "/api/checkout" | "/sandbox/checkout/{id}" | "/api/billing/portal" => Group::Billing,
        "/api/user/cancel-subscription"
        | "/api/user/reactivate-subscription"
        | "/api/user/change-plan"
        | "/api/user/withdrawal"
        | "/api/user/withdrawal/{id}" => Group::Billing,
        "/api/chats/{id}/messages" if *method == Method::POST => Group::Messages,
        "/api/cards/read" | "/api/cards/import" | "/api/cards/{id}/export" => Group::Create,
        "/api/chats/{id}/messages/{message}/regenerate" => Group::Messages,
        "/api/chats/{id}/messages/{message}" if *method == Method::PUT => Group::Messages,
        "/api/chats" if *method == Method::POST => Group::Create,
        "/api/chats/import" | "/api/chats/{id}/fork" => Group::Create,
        _ if path.starts_with("/api/docs") => Group::Free,
        _ if !path.starts_with("/api/") => Group::Free,
        _ if *method == Method::GET => Group::Read,
        _ => Group::Write,
    }
}

/// Deadline of a request, and of all calls made for it.
const QUICK: Duration = Duration::from_secs(5);
/// Deadline of a request that carries a picture.
const UPLOAD: Duration = Duration::from_secs(30);

/// How long a request may take; `None` for streams, which have limits of their own.
#[must_use]
pub fn patience(method: &Method, path: &str) -> Option<Duration> {
    match path {
        "/api/events" => None,
        "/api/chats/{id}/messages" if *method == Method::POST => None,
        "/api/chats/{id}/messages/{message}/regenerate" => None,
        "/api/chats/{id}/messages/{message}" if *method == Method::PUT => None,
        "/api/chats/{id}/generations/{generation}" if *method == Method::GET => None,
        "/api/create"
        | "/api/characters/{id}"
        | "/api/user/update"
        | "/api/complaint/intimate-image"
        | "/api/cards/read"
        | "/api/cards/import"
        | "/api/cards/{id}/export"
        | "/api/chats/import"
        | "/api/chats/{id}/export"
        | "/api/account/export" => Some(UPLOAD),
        _ => Some(QUICK),
    }
}

/// Whether refusals of the route stand under `data` as well.
#[must_use]
pub fn under_data(path: &str) -> bool {
    matches!(path, "/api/forgot-password" | "/api/reset-password")
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Troupe",
        description = "What the web app of Troupe speaks to. Ids are UUIDs in text, times RFC 3339 in UTC. \
            Refusals have one shape; `code` is stable, `msg` is for people. Create, checkout, pictures, \
            messages and reviews take an `Idempotency-Key`."
    ),
    components(schemas(
        ErrorBody,
        events::Hint,
        turns::StartData,
        turns::DeltaData,
        turns::DoneData,
        turns::FailedData
    ))
)]
struct ApiDoc;

/// The routes of `/api`, with their description.
fn api() -> OpenApiRouter<State> {
    let forms = OpenApiRouter::new()
        .routes(routes!(characters::create))
        .routes(routes!(characters::update, characters::delete))
        .routes(routes!(users::update))
        .routes(routes!(reports::intimate_image))
        .layer(DefaultBodyLimit::max(MULTIPART_BYTES));
    let card_files = OpenApiRouter::new()
        .routes(routes!(cards::read))
        .routes(routes!(cards::import))
        .layer(DefaultBodyLimit::max(CARD_FORM_BYTES));
    let chat_files =
        OpenApiRouter::new().routes(routes!(transfer::import)).layer(DefaultBodyLimit::max(MULTIPART_BYTES));
    let all = OpenApiRouter::new()
        .routes(routes!(auth::signup))
        .routes(routes!(auth::verify))
        .routes(routes!(auth::resend))
        .routes(routes!(auth::login))
        .routes(routes!(auth::logout))
        .routes(routes!(auth::renew))
        .routes(routes!(auth::forgot))
        .routes(routes!(auth::reset))
        .routes(routes!(users::show))
        .routes(routes!(users::preferences))
        .routes(routes!(users::follow))
        .routes(routes!(people::followers))
        .routes(routes!(people::following))
        .routes(routes!(notifications::list))
        .routes(routes!(notifications::read))
        .routes(routes!(personas::update))
        .routes(routes!(safety::update_password))
        .routes(routes!(safety::devices))
        .routes(routes!(safety::revoke_device))
        .routes(routes!(safety::revoke_others))
        .routes(routes!(safety::begin))
        .routes(routes!(safety::confirm))
        .routes(routes!(safety::renew_codes))
        .routes(routes!(safety::end))
        .routes(routes!(account_data::export))
        .routes(routes!(account_data::schedule, account_data::cancel))
        .routes(routes!(listings::search))
        .routes(routes!(listings::by_tag))
        .routes(routes!(listings::by_creator))
        .routes(routes!(listings::featured))
        .routes(routes!(listings::trending))
        .routes(routes!(listings::for_you))
        .routes(routes!(listings::followed))
        .routes(routes!(listings::from_followed))
        .routes(routes!(listings::categories))
        .routes(routes!(creators::top))
        .routes(routes!(blocks::list, blocks::set))
        .routes(routes!(characters::deleted))
        .routes(routes!(characters::restore))
        .routes(routes!(characters::show))
        .routes(routes!(reactions::react))
        .routes(routes!(reactions::follow))
        .routes(routes!(reviews::put, reviews::delete))
        .routes(routes!(reviews::list))
        .routes(routes!(images::create))
        .routes(routes!(images::list))
        .routes(routes!(gallery::options))
        .routes(routes!(gallery::show, gallery::update, gallery::delete))
        .routes(routes!(gallery::restore))
        .routes(routes!(gallery::cancel))
        .routes(routes!(gallery::portrait))
        .routes(routes!(gallery::download))
        .routes(routes!(judgements::list))
        .routes(routes!(judgements::decide))
        .routes(routes!(chats::list, shelf::start))
        .routes(routes!(chats::open, turns::send))
        .routes(routes!(turns::watch, turns::stop))
        .routes(routes!(chats::clear))
        .routes(routes!(prompts::manifest))
        .routes(routes!(prompts::preview))
        .routes(routes!(memories::list))
        .routes(routes!(memories::of_chat, memories::add))
        .routes(routes!(memories::update, memories::delete))
        .routes(routes!(lorebooks::list, lorebooks::create))
        .routes(routes!(lorebooks::show, lorebooks::update, lorebooks::delete))
        .routes(routes!(sampling::options))
        .routes(routes!(sampling::own, sampling::save))
        .routes(routes!(sampling::delete))
        .routes(routes!(sampling::of_chat, sampling::set_for_chat))
        .routes(routes!(branches::undo_clear))
        .routes(routes!(branches::edit, branches::delete))
        .routes(routes!(branches::regenerate))
        .routes(routes!(branches::restore))
        .routes(routes!(branches::set_leaf))
        .routes(routes!(branches::fork))
        .routes(routes!(branches::tree))
        .routes(routes!(shelf::search))
        .routes(routes!(shelf::update, shelf::delete))
        .routes(routes!(shelf::restore))
        .routes(routes!(transfer::export))
        .routes(routes!(events::stream_hints))
        .routes(routes!(billing::plans))
        .routes(routes!(billing::checkout))
        .routes(routes!(subscriptions::cancel))
        .routes(routes!(subscriptions::reactivate))
        .routes(routes!(subscriptions::change_plan))
        .routes(routes!(subscriptions::begin_withdrawal))
        .routes(routes!(subscriptions::confirm_withdrawal))
        .routes(routes!(subscriptions::receipts))
        .routes(routes!(subscriptions::movements))
        .routes(routes!(subscriptions::portal))
        .routes(routes!(reports::report, reports::own))
        .routes(routes!(reports::complain))
        .routes(routes!(reports::show))
        .routes(routes!(reports::appeal))
        .routes(routes!(admin::queue))
        .routes(routes!(admin::decide))
        .routes(routes!(admin::decide_appeal))
        .routes(routes!(cards::export))
        .routes(routes!(held::list))
        .routes(routes!(held::show, held::decide))
        .routes(routes!(admin::suspend))
        .routes(routes!(admin::reinstate))
        .routes(routes!(meta::show))
        .merge(card_files)
        .merge(chat_files)
        .merge(forms);
    OpenApiRouter::with_openapi(ApiDoc::openapi()).nest("/api", all)
}

/// The description of `/api`, complete.
#[must_use]
pub fn openapi() -> utoipa::openapi::OpenApi {
    openapi::finished(api().into_openapi())
}

/// Everything that is served.
pub fn router(app: State) -> Router {
    let (api, doc) = api().split_for_parts();
    let docs = SwaggerUi::new("/api/docs").url("/api/openapi.json", openapi::finished(doc));
    let docs = Router::from(docs).layer(map_response(lettered));
    let webhooks = Router::new()
        .route("/webhooks/{provider}", post(pages::webhook))
        .layer(DefaultBodyLimit::max(WEBHOOK_BYTES));
    let mut served = api
        .merge(docs)
        .merge(webhooks)
        .route("/media/{asset}/{file}", get(media::fetch))
        .route("/sandbox.css", get(pages::styles))
        .route("/sandbox/checkout/{id}", get(pages::checkout).post(pages::pay));
    if app.config.common.dev {
        served = served
            .route("/dev/mailbox", get(pages::mailbox))
            .route("/dev/mailbox.json", get(pages::mailbox_json));
    }
    served
        .route_layer(from_fn_with_state(app.clone(), security::gate))
        // After the gate: a method that no route takes is 405 for everyone.
        .method_not_allowed_fallback(async || Problem::of("method_not_allowed"))
        .fallback(spa::fallback)
        // All in one: each layer that a router is given by itself is a box, which is copied for each request with all boxes
        // in it.
        .layer(
            ServiceBuilder::new()
                .layer(from_fn(security::headers))
                .layer(from_fn(security::observe))
                .map_response(bare_unless_packed)
                .layer(CompressionLayer::new())
                .map_response(IntoResponse::into_response)
                .layer(CatchPanicLayer::custom(panicked))
                .layer(DefaultBodyLimit::max(BODY_BYTES)),
        )
        .with_state(app)
}

/// Takes what was not compressed out of the room that a compressor would need: 5 KiB of each event stream, for as long as
/// it is open.
fn bare_unless_packed(answer: http::Response<CompressionBody<Body>>) -> Response {
    let packed = answer.headers().contains_key(header::CONTENT_ENCODING);
    answer.map(|body| if packed { Body::new(body) } else { body.into_inner() })
}

/// Says what the letters of a text are: the library that brings the pages of the description does not.
async fn lettered(mut answer: Response) -> Response {
    let kind =
        answer.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_bare = (kind.starts_with("text/") || kind.ends_with("xml")) && !kind.contains("charset");
    if is_bare && let Ok(whole) = HeaderValue::from_str(&format!("{kind}; charset=utf-8")) {
        answer.headers_mut().insert(header::CONTENT_TYPE, whole);
    }
    answer
}

fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    tracing::error!("a handler panicked");
    Problem::of("internal").into_response()
}
