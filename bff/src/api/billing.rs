//! Plans and checkouts.

use axum::{Json, extract::State as Shared};
use proto::billing::v1::{ListPlansRequest, Period, Plan, PlanDetails, StartCheckoutRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::users::PlanName;
use crate::{State, errors::Answer, extract::JsonBody};

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

impl From<PaidPlan> for Plan {
    fn from(plan: PaidPlan) -> Self {
        match plan {
            PaidPlan::Premium => Self::Premium,
            PaidPlan::Deluxe => Self::Deluxe,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaidPeriod {
    Monthly,
    Yearly,
}

impl From<PaidPeriod> for Period {
    fn from(period: PaidPeriod) -> Self {
        match period {
            PaidPeriod::Monthly => Self::Monthly,
            PaidPeriod::Yearly => Self::Yearly,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckoutBody {
    plan: PaidPlan,
    period: PaidPeriod,
    #[schema(max_length = 64)]
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
    let request = StartCheckoutRequest {
        plan: Plan::from(body.plan).into(),
        period: Period::from(body.period).into(),
        promo_code: body.promo_code.unwrap_or_default(),
    };
    let started = app.clients.checkout().start_checkout(request).await?.into_inner();
    Ok(Json(CheckoutStarted { success: true, url: started.url }))
}
