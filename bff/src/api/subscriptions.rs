//! The subscription after it was bought: changed, ended, withdrawn from; receipts and coins.

use axum::{Json, extract::State as Shared};
use proto::{
    auth::v1::{GetProfileRequest, get_profile_response::View},
    billing::v1::{
        self as pb, BeginWithdrawalRequest, CancelSubscriptionRequest, ChangePlanRequest,
        ConfirmWithdrawalRequest, ListMovementsRequest, ListReceiptsRequest, OpenPortalRequest,
        ReactivateSubscriptionRequest, ReceiptKind,
    },
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{
    PageArgs, Said,
    billing::{PaidPeriod, PaidPlan},
    or_null,
    users::{PlanName, User, own_as_far_as_known},
    when,
};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{JsonBody, QueryArgs, Segment},
};

/// What was done, and the profile as it is now.
#[derive(Serialize, ToSchema)]
pub struct SubscriptionChanged {
    success: bool,
    #[serde(flatten)]
    said: Said,
    user: User,
}

async fn changed(app: &State, message: &str) -> Answer<Json<SubscriptionChanged>> {
    // Not by the token's name, which is the one before a rename.
    let request = GetProfileRequest { username: "me".into() };
    let found = app.clients.profiles().get_profile(request).await?.into_inner();
    let Some(View::Own(profile)) = found.view else { return Err(Problem::of("user_not_found")) };
    let user = own_as_far_as_known(app, profile).await;
    Ok(Json(SubscriptionChanged { success: true, said: Said::new(message), user }))
}

/// Ends the renewal; what was paid stays until the end of the period.
#[utoipa::path(post, path = "/user/cancel-subscription", tag = "billing", responses((status = 200, body = SubscriptionChanged)))]
pub async fn cancel(Shared(app): Shared<State>) -> Answer<Json<SubscriptionChanged>> {
    app.clients.subscriptions().cancel_subscription(CancelSubscriptionRequest {}).await?;
    changed(&app, "Your subscription is canceled. What you paid for stays until the end of the period.").await
}

/// Takes a cancellation back while what was paid lasts.
#[utoipa::path(post, path = "/user/reactivate-subscription", tag = "billing", responses((status = 200, body = SubscriptionChanged)))]
pub async fn reactivate(Shared(app): Shared<State>) -> Answer<Json<SubscriptionChanged>> {
    app.clients.subscriptions().reactivate_subscription(ReactivateSubscriptionRequest {}).await?;
    changed(&app, "Welcome back. Your subscription goes on.").await
}

#[derive(Deserialize, ToSchema)]
pub struct ChangePlanBody {
    plan: PaidPlan,
    period: PaidPeriod,
}

#[derive(Serialize, ToSchema)]
pub struct PlanChanged {
    success: bool,
    #[serde(flatten)]
    said: Said,
    /// The checkout of an upgrade; null when the change waits for the end of the period.
    #[schema(required)]
    url: Option<String>,
}

/// Goes to another plan: upwards by a checkout that counts what is left, downwards at the end of the period.
#[utoipa::path(post, path = "/user/change-plan", tag = "billing", request_body = ChangePlanBody, params(("Idempotency-Key" = Option<String>, Header)), responses((status = 200, body = PlanChanged)))]
pub async fn change_plan(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<ChangePlanBody>,
) -> Answer<Json<PlanChanged>> {
    let request = ChangePlanRequest {
        plan: pb::Plan::from(body.plan).into(),
        period: pb::Period::from(body.period).into(),
    };
    let url = or_null(app.clients.subscriptions().change_plan(request).await?.into_inner().url);
    let message = match url {
        Some(_) => "Confirm the upgrade to go on.",
        None => "Your plan changes at the end of the period.",
    };
    Ok(Json(PlanChanged { success: true, said: Said::new(message), url }))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawalBegun {
    success: bool,
    withdrawal_id: String,
    /// Minor units.
    refund: u32,
    /// ISO 4217.
    currency: String,
    /// What confirming means.
    statement: String,
}

/// First step of a withdrawal within 14 days: what it means.
#[utoipa::path(post, path = "/user/withdrawal", tag = "billing", responses((status = 200, body = WithdrawalBegun)))]
pub async fn begin_withdrawal(Shared(app): Shared<State>) -> Answer<Json<WithdrawalBegun>> {
    let begun = app.clients.subscriptions().begin_withdrawal(BeginWithdrawalRequest {}).await?.into_inner();
    Ok(Json(WithdrawalBegun {
        success: true,
        withdrawal_id: begun.withdrawal_id,
        refund: begun.refund,
        currency: begun.currency,
        statement: begun.statement,
    }))
}

#[derive(Serialize, ToSchema)]
pub struct Withdrawn {
    success: bool,
    #[serde(flatten)]
    said: Said,
    receipt: Receipt,
}

/// Second step: confirms it. The receipt is mailed and kept.
#[utoipa::path(post, path = "/user/withdrawal/{id}", tag = "billing", params(("id" = String, Path)), responses((status = 200, body = Withdrawn)))]
pub async fn confirm_withdrawal(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
) -> Answer<Json<Withdrawn>> {
    let request = ConfirmWithdrawalRequest { withdrawal_id: id };
    let receipt = app.clients.subscriptions().confirm_withdrawal(request).await?.into_inner().receipt;
    let receipt = receipt.ok_or_else(|| Problem::of("internal"))?;
    let said = Said::new("You have withdrawn. The receipt is in your mail.");
    Ok(Json(Withdrawn { success: true, said, receipt: receipt.into() }))
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReceiptFor {
    Payment,
    Refund,
    Withdrawal,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PaidEvery {
    Monthly,
    Yearly,
}

impl PaidEvery {
    /// `None` where nothing is paid for.
    pub fn of(period: pb::Period) -> Option<Self> {
        match period {
            pb::Period::Yearly => Some(Self::Yearly),
            pb::Period::Monthly => Some(Self::Monthly),
            pb::Period::Unspecified => None,
        }
    }
}

/// A payment, or what was given back.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// `2026-000042`
    number: String,
    kind: ReceiptFor,
    plan: PlanName,
    period: PaidEvery,
    /// Minor units; negative for what was given back.
    amount: i64,
    /// ISO 4217.
    currency: String,
    #[schema(required)]
    promo_code: Option<String>,
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
}

impl From<pb::Receipt> for Receipt {
    fn from(receipt: pb::Receipt) -> Self {
        Self {
            kind: match receipt.kind() {
                ReceiptKind::Refund => ReceiptFor::Refund,
                ReceiptKind::Withdrawal => ReceiptFor::Withdrawal,
                ReceiptKind::Payment | ReceiptKind::Unspecified => ReceiptFor::Payment,
            },
            plan: receipt.plan().into(),
            period: PaidEvery::of(receipt.period()).unwrap_or(PaidEvery::Monthly),
            at: when(receipt.at.as_ref()),
            number: receipt.number,
            amount: receipt.amount,
            currency: receipt.currency,
            promo_code: or_null(receipt.promo_code),
        }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReceiptList {
    success: bool,
    receipts: Vec<Receipt>,
    has_more: bool,
}

/// Payments and refunds, the newest first.
#[utoipa::path(get, path = "/receipts", tag = "billing", params(PageArgs), responses((status = 200, body = ReceiptList)))]
pub async fn receipts(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<PageArgs>,
) -> Answer<Json<ReceiptList>> {
    let request = ListReceiptsRequest { page: args.page()? };
    let found = app.clients.subscriptions().list_receipts(request).await?.into_inner();
    Ok(Json(ReceiptList {
        success: true,
        receipts: found.receipts.into_iter().map(Into::into).collect(),
        has_more: found.page.is_some_and(|p| p.has_more),
    }))
}

/// A movement of coins.
#[derive(Debug, Serialize, ToSchema)]
pub struct Movement {
    #[serde(rename = "_id")]
    id: String,
    /// `grant`, `reserve`, `capture`, `release` or `withdraw`.
    kind: String,
    reason: String,
    /// Change of what is available.
    available: i64,
    /// Change of what is reserved.
    reserved: i64,
    #[serde(with = "time::serde::rfc3339")]
    at: OffsetDateTime,
}

impl From<pb::Movement> for Movement {
    fn from(m: pb::Movement) -> Self {
        let at = when(m.at.as_ref());
        Self { id: m.id, kind: m.kind, reason: m.reason, available: m.available, reserved: m.reserved, at }
    }
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MovementList {
    success: bool,
    movements: Vec<Movement>,
    has_more: bool,
}

/// Every movement of one's coins, the newest first.
#[utoipa::path(get, path = "/coins/movements", tag = "billing", params(PageArgs), responses((status = 200, body = MovementList)))]
pub async fn movements(
    Shared(app): Shared<State>,
    QueryArgs(args): QueryArgs<PageArgs>,
) -> Answer<Json<MovementList>> {
    let request = ListMovementsRequest { page: args.page()? };
    let found = app.clients.coins().list_movements(request).await?.into_inner();
    Ok(Json(MovementList {
        success: true,
        movements: found.movements.into_iter().map(Into::into).collect(),
        has_more: found.page.is_some_and(|p| p.has_more),
    }))
}

#[derive(Serialize, ToSchema)]
pub struct Portal {
    success: bool,
    /// The provider's page for cards and invoices.
    url: String,
}

/// Opens the provider's own page.
#[utoipa::path(post, path = "/billing/portal", tag = "billing", responses((status = 200, body = Portal)))]
pub async fn portal(Shared(app): Shared<State>) -> Answer<Json<Portal>> {
    let url = app.clients.subscriptions().open_portal(OpenPortalRequest {}).await?.into_inner().url;
    Ok(Json(Portal { success: true, url }))
}
