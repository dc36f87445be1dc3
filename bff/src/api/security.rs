//! Password, devices and the second step of a login.

use axum::{Json, extract::State as Shared};
use proto::auth::v1::{
    BeginTwoStepRequest, ConfirmTwoStepRequest, EndTwoStepRequest, ListDevicesRequest,
    RenewRecoveryCodesRequest, RevokeDeviceRequest, RevokeOtherDevicesRequest, UpdatePasswordRequest,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Done, users::DeviceInfo};
use crate::{
    State,
    errors::Answer,
    extract::{JsonBody, Segment},
};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasswordBody {
    #[serde(default)]
    #[schema(max_length = 128)]
    current_password: String,
    /// Letters, digits and `@$!%*#?&`, at least 8, with a capital and a digit.
    #[serde(default)]
    #[schema(max_length = 128)]
    new_password: String,
}

/// Sets a new password; all other devices are signed out.
#[utoipa::path(post, path = "/user/update-password", tag = "security", request_body = PasswordBody, responses((status = 200, body = Done)))]
pub async fn update_password(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<PasswordBody>,
) -> Answer<Json<Done>> {
    let request =
        UpdatePasswordRequest { current_password: body.current_password, new_password: body.new_password };
    app.clients.security().update_password(request).await?;
    Ok(Json(Done::saying("Password updated successfully")))
}

#[derive(Serialize, ToSchema)]
pub struct DeviceList {
    success: bool,
    devices: Vec<DeviceInfo>,
}

/// Devices that are signed in.
#[utoipa::path(get, path = "/devices", tag = "security", responses((status = 200, body = DeviceList)))]
pub async fn devices(Shared(app): Shared<State>) -> Answer<Json<DeviceList>> {
    let found = app.clients.security().list_devices(ListDevicesRequest {}).await?.into_inner().devices;
    Ok(Json(DeviceList { success: true, devices: found.into_iter().map(Into::into).collect() }))
}

#[derive(Deserialize, ToSchema)]
pub struct SignOutBody {
    #[serde(default)]
    #[schema(max_length = 128)]
    password: String,
}

/// Signs one device out.
#[utoipa::path(post, path = "/devices/{id}/sign-out", tag = "security", params(("id" = String, Path)), request_body = SignOutBody, responses((status = 200, body = Done)))]
pub async fn revoke_device(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    JsonBody(body): JsonBody<SignOutBody>,
) -> Answer<Json<Done>> {
    app.clients.security().revoke_device(RevokeDeviceRequest { id, password: body.password }).await?;
    Ok(Json(Done::saying("This device is signed out.")))
}

/// Signs all other devices out.
#[utoipa::path(post, path = "/devices/sign-out", tag = "security", request_body = SignOutBody, responses((status = 200, body = Done)))]
pub async fn revoke_others(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<SignOutBody>,
) -> Answer<Json<Done>> {
    let request = RevokeOtherDevicesRequest { password: body.password };
    app.clients.security().revoke_other_devices(request).await?;
    Ok(Json(Done::saying("All other devices are signed out.")))
}

#[derive(Deserialize, ToSchema)]
pub struct TwoStepBegin {
    #[serde(default)]
    #[schema(max_length = 128)]
    password: String,
}

#[derive(Serialize, ToSchema)]
pub struct TwoStepSecret {
    success: bool,
    /// Base32, for typing.
    secret: String,
    /// `otpauth://totp/…`, for a QR code.
    uri: String,
}

/// A secret for an authenticator app; it counts once it is confirmed.
#[utoipa::path(post, path = "/two-step/begin", tag = "security", request_body = TwoStepBegin, responses((status = 200, body = TwoStepSecret)))]
pub async fn begin(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<TwoStepBegin>,
) -> Answer<Json<TwoStepSecret>> {
    let request = BeginTwoStepRequest { password: body.password };
    let begun = app.clients.security().begin_two_step(request).await?.into_inner();
    Ok(Json(TwoStepSecret { success: true, secret: begun.secret, uri: begun.uri }))
}

#[derive(Deserialize, ToSchema)]
pub struct TwoStepCode {
    /// Six digits.
    #[serde(default)]
    #[schema(max_length = 32)]
    code: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryCodes {
    success: bool,
    /// Each good for one login; shown this once.
    recovery_codes: Vec<String>,
}

/// Turns the second step on by a first code.
#[utoipa::path(post, path = "/two-step/confirm", tag = "security", request_body = TwoStepCode, responses((status = 200, body = RecoveryCodes)))]
pub async fn confirm(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<TwoStepCode>,
) -> Answer<Json<RecoveryCodes>> {
    let request = ConfirmTwoStepRequest { code: body.code };
    let recovery_codes = app.clients.security().confirm_two_step(request).await?.into_inner().recovery_codes;
    Ok(Json(RecoveryCodes { success: true, recovery_codes }))
}

/// New recovery codes; the old ones are dead.
#[utoipa::path(post, path = "/two-step/recovery-codes", tag = "security", request_body = TwoStepCode, responses((status = 200, body = RecoveryCodes)))]
pub async fn renew_codes(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<TwoStepCode>,
) -> Answer<Json<RecoveryCodes>> {
    let request = RenewRecoveryCodesRequest { code: body.code };
    let recovery_codes =
        app.clients.security().renew_recovery_codes(request).await?.into_inner().recovery_codes;
    Ok(Json(RecoveryCodes { success: true, recovery_codes }))
}

#[derive(Deserialize, ToSchema)]
pub struct TwoStepEnd {
    #[serde(default)]
    #[schema(max_length = 128)]
    password: String,
    /// Six digits, or a recovery code.
    #[serde(default)]
    #[schema(max_length = 32)]
    code: String,
}

/// Turns the second step off.
#[utoipa::path(post, path = "/two-step/end", tag = "security", request_body = TwoStepEnd, responses((status = 200, body = Done)))]
pub async fn end(Shared(app): Shared<State>, JsonBody(body): JsonBody<TwoStepEnd>) -> Answer<Json<Done>> {
    let request = EndTwoStepRequest { password: body.password, code: body.code };
    app.clients.security().end_two_step(request).await?;
    Ok(Json(Done::saying("Two-step login is off.")))
}
