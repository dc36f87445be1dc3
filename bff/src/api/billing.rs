//! Plans and checkouts.

use axum::{Json, extract::State as Shared};
use proto::auth::v1::{GetProfileRequest, get_profile_response::View};
use proto::billing::v1::{
    CancelSubscriptionRequest, ListPlansRequest, Period, Plan, PlanDetails, StartCheckoutRequest,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::users::{PlanName, User, own_as_far_as_known};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::JsonBody,
};

/// A plan and what it costs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanOffer {
    plan: PlanName,
    name: String,
    monthly_cents: u32,
    yearly_cents: u32,
    /// ISO 4217.
    currency: String,
    /// 0 when the limit is the length of a chat.
    messages_per_month: u32,
    coins_per_month: u32,
    memory_tokens: u32,
    perks: Vec<String>,
}

impl From<PlanDetails> for PlanOffer {
    fn from(plan: PlanDetails) -> Self {
        Self {
            plan: plan.plan().into(),
            name: plan.name,
            monthly_cents: plan.monthly_price,
            yearly_cents: plan.yearly_price,
            currency: plan.currency,
            messages_per_month: plan.messages_per_month,
            coins_per_month: plan.coins_per_month,
            memory_tokens: plan.memory_tokens,
            perks: plan.perks,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct PlanList {
    success: bool,
    plans: Vec<PlanOffer>,
}

/// What can be bought.
#[utoipa::path(get, path = "/plans", tag = "billing", responses((status = 200, body = PlanList)))]
pub async fn plans(Shared(app): Shared<State>) -> Answer<Json<PlanList>> {
    let plans = app.clients.plans().list_plans(ListPlansRequest {}).await?.into_inner().plans;
    Ok(Json(PlanList { success: true, plans: plans.into_iter().map(Into::into).collect() }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaidPlan {
    Premium,
    Deluxe,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaidPeriod {
    Monthly,
    Yearly,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckoutBody {
    plan: PaidPlan,
    period: PaidPeriod,
    promo_code: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct CheckoutStarted {
    success: bool,
    /// The provider's page; relative for the sandbox.
    url: String,
}

/// Starts a checkout.
#[utoipa::path(post, path = "/checkout", tag = "billing", request_body = CheckoutBody, params(("Idempotency-Key" = Option<String>, Header)), responses((status = 200, body = CheckoutStarted)))]
pub async fn checkout(
    Shared(app): Shared<State>,
    JsonBody(body): JsonBody<CheckoutBody>,
) -> Answer<Json<CheckoutStarted>> {
    let plan = match body.plan {
        PaidPlan::Premium => Plan::Premium,
        PaidPlan::Deluxe => Plan::Deluxe,
    };
    let period = match body.period {
        PaidPeriod::Monthly => Period::Monthly,
        PaidPeriod::Yearly => Period::Yearly,
    };
    let request = StartCheckoutRequest {
        plan: plan.into(),
        period: period.into(),
        promo_code: body.promo_code.unwrap_or_default(),
    };
    let started = app.clients.checkout().start_checkout(request).await?.into_inner();
    Ok(Json(CheckoutStarted { success: true, url: started.url }))
}

#[derive(Serialize, ToSchema)]
pub struct Canceled {
    success: bool,
    message: String,
    user: User,
}

/// Ends the renewal; what was paid stays until the end of the period.
#[utoipa::path(post, path = "/user/cancel-subscription", tag = "billing", responses((status = 200, body = Canceled)))]
pub async fn cancel(Shared(app): Shared<State>) -> Answer<Json<Canceled>> {
    app.clients.subscriptions().cancel_subscription(CancelSubscriptionRequest {}).await?;
    // Not by the token's name, which is the one before a rename.
    let request = GetProfileRequest { username: "me".into() };
    let found = app.clients.profiles().get_profile(request).await?.into_inner();
    let Some(View::Own(profile)) = found.view else { return Err(Problem::of("user_not_found")) };
    let message =
        "Your subscription is canceled. What you paid for stays until the end of the period.".into();
    Ok(Json(Canceled { success: true, message, user: own_as_far_as_known(&app, profile).await }))
}
