//! What people are told when something is refused: the one table from reason to status and sentence.

use std::{collections::BTreeMap, time::Duration};

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use kit::error::Failure;
use serde::Serialize;
use tonic::{Code, Status};
use utoipa::ToSchema;

/// Reason, HTTP status, sentence. `invalid` and its like say what is wrong with the first field instead.
pub const TABLE: &[(&str, u16, &str)] = &[
    ("invalid", 400, "Something in the request is not right."),
    ("unauthenticated", 401, "Please login again."),
    ("forbidden", 403, "You may not do that."),
    ("not_found", 404, "Not found."),
    ("method_not_allowed", 405, "This address does not take that method."),
    ("conflict", 409, "That does not fit with what is already there."),
    ("too_large", 413, "That is too large."),
    ("unsupported_media", 415, "This kind of file or content is not supported."),
    ("moderated", 422, "This is not allowed here. Please change it and try again."),
    ("rate_limited", 429, "Too many requests. Please wait a moment."),
    ("in_progress", 409, "This request is still being worked on."),
    ("idempotency_mismatch", 422, "This request was sent before with other content."),
    ("unavailable", 503, "We cannot reach a part of the house. Please try again in a moment."),
    ("internal", 500, "Something went wrong on our side. Please try again."),
    // accounts
    ("email_taken", 409, "This e-mail is already in use."),
    ("username_taken", 409, "This username is taken."),
    ("code_wrong", 400, "That code is not right."),
    ("code_expired", 400, "That code has expired. Ask for a new one."),
    ("reset_expired", 400, "This link has expired. Please resubmit a reset request."),
    ("credentials_wrong", 401, "Wrong e-mail or password."),
    ("email_unverified", 403, "Please verify your email!"),
    ("suspended", 403, "This account is suspended."),
    ("too_many_attempts", 429, "Too many tries. Please wait a moment."),
    ("otp_required", 401, "Enter the code of your authenticator app."),
    ("otp_wrong", 401, "That code is not right."),
    ("step_code_wrong", 400, "That code is not right."),
    ("password_wrong", 400, "Your current password is not right."),
    ("two_step_on", 409, "Two-step login is on already."),
    ("two_step_off", 409, "Two-step login is not on."),
    ("two_step_required", 403, "This needs two-step login."),
    ("device_not_found", 404, "This device is not signed in."),
    ("country_closed", 403, "We are not open in your country."),
    ("age_unassured", 403, "We could not confirm your age."),
    ("user_not_found", 404, "User not found."),
    ("persona_not_found", 404, "Persona not found."),
    ("self_follow", 400, "You cannot follow yourself."),
    // characters
    ("character_not_found", 404, "Character not found."),
    ("under_age", 400, "Minimum age is 18"),
    ("too_many_tags", 400, "You can add a maximum of 5 tags"),
    ("own_review", 400, "You cannot review your own character."),
    ("age_unconfirmed", 403, "Confirm your age first."),
    ("too_many_blocks", 400, "You can block at most 500 of a kind."),
    ("review_not_found", 404, "Review not found."),
    // cards
    ("card_invalid", 400, "This character card cannot be read."),
    ("not_exportable", 403, "Its creator does not let this card be exported."),
    ("cards_full", 409, "There is no room for more imported cards."),
    ("held_changed", 409, "It was changed meanwhile, or not read whole: please read it again."),
    ("not_held", 409, "Nothing holds this character any more."),
    // reports
    ("report_not_found", 404, "We do not know this number."),
    ("report_decided", 409, "This was decided already."),
    ("report_undecided", 409, "This has not been decided yet."),
    ("own_decision", 403, "Somebody else has to decide the appeal."),
    ("appeal_used", 409, "There is one appeal, and it was made."),
    // plans and coins
    ("upgrade_required", 402, "This needs a Premium or Deluxe membership."),
    ("allowance_used", 402, "You have used all messages of this month."),
    ("coins_short", 402, "You do not have enough coins."),
    ("reservation_ended", 409, "This has ended already."),
    ("plan_same", 409, "This is your plan already."),
    ("not_canceled", 409, "Your subscription is not canceled."),
    ("promo_expired", 400, "This code has run out."),
    ("withdrawal_closed", 409, "The 14 days to withdraw are over."),
    ("withdrawal_not_found", 404, "This withdrawal is not known."),
    ("portal_absent", 409, "There is nothing to manage yet."),
    ("not_subscribed", 409, "You aren't subscribed!"),
    ("checkout_not_found", 404, "This checkout is not known, or has ended."),
    ("provider_unknown", 404, "Not found."),
    ("webhook_refused", 401, "The signature of this message does not hold."),
    // pictures
    ("asset_not_found", 404, "Image not found."),
    ("image_not_found", 404, "Image not found."),
    ("not_waiting", 409, "This was decided already."),
    ("nsfw_off", 403, "This choice needs NSFW to be on; for a portrait, the character has to be NSFW too."),
    ("image_private", 409, "This picture has to stay private."),
    // chat
    ("chat_not_found", 404, "Chat not found."),
    ("generation_not_found", 404, "This reply is not known."),
    ("manifest_not_found", 404, "This message has no prompt to show."),
    ("memory_not_found", 404, "This memory is gone."),
    ("too_many_memories", 400, "A chat remembers at most 200 things. Forget one first."),
    ("lorebook_not_found", 404, "Lorebook not found."),
    ("too_many_lorebooks", 400, "You can keep at most 20 lorebooks."),
    ("message_not_found", 404, "Message not found."),
    ("too_many_variants", 409, "There are 20 versions already. Delete one first."),
    ("greeting_stays", 409, "The greeting cannot be deleted or written anew. Clear the chat instead."),
    ("nothing_to_undo", 409, "There is nothing left to bring back."),
    ("subscribe_required", 402, "Free chats end after 20 messages. Subscribe to go on."),
    ("day_cap_reached", 429, "That was a lot for one day. Come back tomorrow."),
    ("preset_not_found", 404, "This preset is not known."),
    ("too_many_presets", 400, "You can keep at most 20 presets of your own."),
    ("generation_running", 409, "A reply is still being written."),
    ("engine_unreachable", 503, "The language model cannot be reached. Please try again."),
    ("engine_refused_key", 503, "The language model refused our key. The operator has to look at it."),
    ("engine_rate_limited", 503, "The language model is busy. Please try again in a moment."),
    ("engine_error", 503, "The language model failed. Please try again."),
    ("engine_malformed", 503, "The language model answered in a way we do not understand. Please try again."),
    ("engine_ended_early", 503, "The language model stopped in the middle. You can continue from there."),
    (
        "engine_reasoned_only",
        503,
        "The language model thought until its space was used up. Please try again.",
    ),
    ("engine_timeout", 503, "The language model took too long. Please try again."),
];

/// Seconds that a client waits before it tries again, when nobody said how long.
const RETRY_AFTER_S: u64 = 2;

/// The body of every refusal.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// Always false.
    pub success: bool,
    /// What people are told.
    pub msg: String,
    /// The same as `msg`; older clients read this one.
    pub message: String,
    /// Stable reason, snake case.
    pub code: String,
    /// Field name to what is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<BTreeMap<String, String>>,
    /// With `generation_running`: the reply that is being written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation_id: Option<String>,
    /// With `suspended`: why, as the person was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `forgot-password` and `reset-password` answer under this name as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Outcome>,
}

/// Whether it worked, and what people are told.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Outcome {
    pub success: bool,
    pub msg: String,
}

/// A refusal on its way to the client.
#[derive(Debug)]
pub struct Problem {
    failure: Failure,
    under_data: bool,
}

/// What a handler answers.
pub type Answer<T> = Result<T, Problem>;

impl Problem {
    /// A refusal of the BFF itself, by its reason in [`TABLE`].
    #[must_use]
    pub fn of(reason: &str) -> Self {
        Failure::new(Code::Unknown, reason, "").into()
    }

    /// `invalid`, because of one field.
    #[must_use]
    pub fn field(name: &str, text: impl Into<String>) -> Self {
        Failure::invalid(name, text).into()
    }

    #[must_use]
    pub fn retry_after(mut self, delay: Duration) -> Self {
        self.failure = self.failure.retry_after(delay);
        self
    }

    /// Calls a field as the caller did, where a service knows it by another name.
    #[must_use]
    pub fn renaming(mut self, name: impl Fn(&str) -> Option<String>) -> Self {
        for (field, _) in &mut self.failure.fields {
            if let Some(theirs) = name(field) {
                *field = theirs;
            }
        }
        self
    }

    /// Repeats the outcome under `data`, where two old routes are read.
    #[must_use]
    pub fn also_under_data(mut self) -> Self {
        self.under_data = true;
        self
    }

    #[must_use]
    pub fn code(&self) -> &str {
        &self.failure.reason
    }

    #[must_use]
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.row().1).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// What people are told.
    #[must_use]
    pub fn msg(&self) -> String {
        let (reason, _, text) = self.row();
        match self.failure.fields.first() {
            Some((_, field)) if matches!(reason, "invalid" | "card_invalid") && !field.is_empty() => {
                field.clone()
            }
            _ => text.to_owned(),
        }
    }

    /// The row of the reason. A reason that the table does not know yet takes the row of its gRPC
    /// code, so that a refusal never turns into an error of ours; what is left is `internal`.
    fn row(&self) -> (&'static str, u16, &'static str) {
        let known = |reason: &str| TABLE.iter().find(|(r, _, _)| *r == reason).copied();
        known(&self.failure.reason).unwrap_or_else(|| {
            known(&Failure::from_status(&Status::new(self.failure.code, "")).reason).unwrap_or((
                "internal",
                500,
                "Something went wrong on our side. Please try again.",
            ))
        })
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        let known = TABLE.iter().any(|(r, _, _)| *r == failure.reason);
        if !known {
            tracing::warn!(reason = failure.reason, code = ?failure.code, "a reason that the table lacks");
        } else if failure.reason == "internal" {
            tracing::error!(code = ?failure.code, "a service answered an error of its own");
        }
        Self { failure, under_data: false }
    }
}

impl From<Status> for Problem {
    fn from(status: Status) -> Self {
        Failure::from_status(&status).into()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status();
        let msg = self.msg();
        let row = self.row().0;
        let code = if status.is_server_error() { row.to_owned() } else { self.failure.reason.clone() };
        let fields = (!self.failure.fields.is_empty()).then(|| {
            // The first text of a field is the one that matters.
            self.failure.fields.iter().rev().cloned().collect()
        });
        let body = ErrorBody {
            success: false,
            msg: msg.clone(),
            message: msg.clone(),
            code,
            fields,
            generation_id: self.failure.meta.get("generation_id").cloned(),
            reason: self.failure.meta.get("reason").cloned(),
            data: self.under_data.then_some(Outcome { success: false, msg }),
        };
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        let must_wait = matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS);
        let wait = self.failure.retry_after.map(|d| d.as_millis().div_ceil(1000).max(1));
        if let Some(seconds) = wait.or(must_wait.then_some(u128::from(RETRY_AFTER_S))) {
            headers
                .insert(header::RETRY_AFTER, HeaderValue::from(u64::try_from(seconds).unwrap_or(u64::MAX)));
        }
        response
    }
}
