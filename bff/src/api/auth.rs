//! Accounts and sessions.

use axum::{Json, extract::State as Shared, http::HeaderMap};
use kit::caller;
use proto::auth::v1::{
    Device, ForgotPasswordRequest, LogInRequest, LogOutRequest, RenewSessionRequest, ResendCodeRequest,
    ResetPasswordRequest, SignUpRequest, VerifyRequest,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Done, Said,
    users::{self, User},
};
use crate::{
    State,
    errors::{Answer, Outcome, Problem},
    extract::{Address, JsonBody, country, user_agent},
};

/// Characters of a time zone's name.
const TIME_ZONE_MAX: usize = 64;

/// Absent fields count as empty, so that what is missing is told in the words of the form.
#[derive(Deserialize, ToSchema)]
pub struct SignupBody {
    #[serde(default)]
    #[schema(max_length = 254)]
    email: String,
    /// At least 8 characters with a capital and a digit.
    #[serde(default)]
    #[schema(max_length = 128)]
    password: String,
    /// 3 to 30 letters, digits and underscores.
    #[serde(default)]
    #[schema(max_length = 30)]
    username: String,
    /// Referral code of the link that led here; one of more than 64 characters is dropped.
    #[serde(default, rename = "ref")]
    referral: Option<String>,
}

/// Opens an account; a code is mailed.
#[utoipa::path(post, path = "/signup", tag = "accounts", request_body = SignupBody, responses((status = 200, body = Done)))]
pub async fn signup(
    Shared(app): Shared<State>,
    Address(ip): Address,
    headers: HeaderMap,
    JsonBody(body): JsonBody<SignupBody>,
) -> Answer<Json<Done>> {
    let request = SignUpRequest {
        email: body.email,
        password: body.password,
        username: body.username,
        referral: body.referral.unwrap_or_default(),
        ip: ip.to_string(),
        country: country(&app, &headers),
    };
    app.clients.accounts().sign_up(request).await?;
    Ok(Json(Done::saying("Check your e-mail for the code.")))
}

#[derive(Deserialize, ToSchema)]
pub struct VerifyBody {
    /// The six characters of the mail.
    #[serde(default)]
    #[schema(max_length = 64)]
    token: String,
    /// The address that the code was sent to.
    email: Option<String>,
}

/// Confirms the e-mail address.
#[utoipa::path(post, path = "/verify", tag = "accounts", request_body = VerifyBody, responses((status = 200, body = Done)))]
pub async fn verify(
    Shared(app): Shared<State>,
    Address(ip): Address,
    JsonBody(body): JsonBody<VerifyBody>,
) -> Answer<Json<Done>> {
    let email = body.email.filter(|e| !e.is_empty());
    app.clients.accounts().verify(VerifyRequest { code: body.token, email, ip: ip.to_string() }).await?;
    Ok(Json(Done::saying("Your e-mail is verified. You can login now.")))
}

#[derive(Deserialize, ToSchema)]
pub struct EmailBody {
    #[serde(default)]
    #[schema(max_length = 254)]
    email: String,
}

/// Mails a new code.
#[utoipa::path(post, path = "/verify/resend", tag = "accounts", request_body = EmailBody, responses((status = 200, body = Done)))]
pub async fn resend(
    Shared(app): Shared<State>,
    Address(ip): Address,
    JsonBody(body): JsonBody<EmailBody>,
) -> Answer<Json<Done>> {
    app.clients.accounts().resend_code(ResendCodeRequest { email: body.email, ip: ip.to_string() }).await?;
    Ok(Json(Done::saying("If this address waits for a code, a new one is on its way.")))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginBody {
    #[serde(default)]
    #[schema(max_length = 254)]
    email: String,
    #[serde(default)]
    #[schema(max_length = 128)]
    password: String,
    device_info: Option<LoginDevice>,
    /// Second step: six digits, or a recovery code; wanted after the code `otp_required`.
    #[schema(max_length = 32)]
    otp: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoginDevice {
    /// IANA name, `Europe/Brussels`.
    #[schema(max_length = 64)]
    time_zone: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct LoggedIn {
    success: bool,
    #[serde(flatten)]
    said: Said,
    user: User,
    /// Bearer for 7 days.
    token: String,
}

/// Opens a session.
#[utoipa::path(post, path = "/login", tag = "accounts", request_body = LoginBody, responses((status = 200, body = LoggedIn)))]
pub async fn login(
    Shared(app): Shared<State>,
    Address(ip): Address,
    headers: HeaderMap,
    JsonBody(body): JsonBody<LoginBody>,
) -> Answer<Json<LoggedIn>> {
    let time_zone = body.device_info.and_then(|d| d.time_zone).unwrap_or_default();
    if kit::text::clean(&time_zone, TIME_ZONE_MAX).is_err() {
        return Err(Problem::field("deviceInfo.timeZone", "The name of a time zone, like Europe/Brussels."));
    }
    let device = Device { user_agent: user_agent(&headers), ip: ip.to_string(), time_zone };
    let otp = body.otp.filter(|otp| !otp.trim().is_empty());
    let request = LogInRequest { email: body.email, password: body.password, device: Some(device), otp };
    let opened = app.clients.accounts().log_in(request).await?.into_inner();
    let own = opened.profile.ok_or_else(|| Problem::of("internal"))?;

    // From here on the calls are made with the new session, which those who are called verify.
    let mut context = caller::current();
    context.bearer = Some(opened.token.as_str().into());
    let user = caller::scope(context, users::own_at_login(&app, own)).await;
    Ok(Json(LoggedIn { success: true, said: Said::new("Welcome back."), user, token: opened.token }))
}

/// Ends the session everywhere.
#[utoipa::path(post, path = "/logout", tag = "accounts", responses((status = 200, body = Done)))]
pub async fn logout(Shared(app): Shared<State>) -> Answer<Json<Done>> {
    app.clients.accounts().log_out(LogOutRequest {}).await?;
    Ok(Json(Done::saying("Please log back in.")))
}

#[derive(Serialize, ToSchema)]
pub struct Renewed {
    success: bool,
    token: String,
}

/// A new token for the session, at most 30 days after login.
#[utoipa::path(post, path = "/session/renew", tag = "accounts", responses((status = 200, body = Renewed)))]
pub async fn renew(Shared(app): Shared<State>) -> Answer<Json<Renewed>> {
    let renewed = app.clients.accounts().renew_session(RenewSessionRequest {}).await?.into_inner();
    Ok(Json(Renewed { success: true, token: renewed.token }))
}

/// The outcome, flat and under `data`: both are read.
#[derive(Serialize, ToSchema)]
pub struct DoneTwice {
    success: bool,
    #[serde(flatten)]
    said: Said,
    data: Outcome,
}

impl DoneTwice {
    fn saying(msg: &str) -> Self {
        Self { success: true, said: Said::new(msg), data: Outcome { success: true, msg: msg.to_owned() } }
    }
}

/// Mails a link to set a new password; never tells who has an account.
#[utoipa::path(post, path = "/forgot-password", tag = "accounts", request_body = EmailBody, responses((status = 200, body = DoneTwice)))]
pub async fn forgot(
    Shared(app): Shared<State>,
    Address(ip): Address,
    body: Answer<JsonBody<EmailBody>>,
) -> Answer<Json<DoneTwice>> {
    let JsonBody(body) = body.map_err(Problem::also_under_data)?;
    let request = ForgotPasswordRequest { email: body.email, ip: ip.to_string() };
    app.clients.accounts().forgot_password(request).await.map_err(|s| Problem::from(s).also_under_data())?;
    Ok(Json(DoneTwice::saying("Check your email to reset your password.")))
}

#[derive(Deserialize, ToSchema)]
pub struct ResetBody {
    /// At least 8 characters with a capital and a digit.
    #[serde(default)]
    #[schema(max_length = 128)]
    password: String,
    /// Of the link that was mailed.
    #[serde(default)]
    #[schema(max_length = 200)]
    token: String,
}

/// Sets a new password and ends all sessions.
#[utoipa::path(post, path = "/reset-password", tag = "accounts", request_body = ResetBody, responses((status = 200, body = DoneTwice)))]
pub async fn reset(
    Shared(app): Shared<State>,
    Address(ip): Address,
    body: Answer<JsonBody<ResetBody>>,
) -> Answer<Json<DoneTwice>> {
    let JsonBody(body) = body.map_err(Problem::also_under_data)?;
    let request = ResetPasswordRequest { token: body.token, password: body.password, ip: ip.to_string() };
    app.clients.accounts().reset_password(request).await.map_err(|s| Problem::from(s).also_under_data())?;
    Ok(Json(DoneTwice::saying("Password reset.")))
}
