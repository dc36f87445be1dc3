//! Stripe: Checkout Sessions, the customer portal, schedules for what waits, refunds; by form calls to its
//! API, in the shapes of one version.

pub mod webhook;

use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Method, StatusCode};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Header, PaymentProvider, Webhook};
use crate::{
    checkout::Checkout,
    error::{Error, Result},
    plans::{Period, Plan},
};

pub const PROVIDER: &str = "stripe";

/// The version whose shapes are spoken here.
const VERSION: &str = "2024-06-20";
/// How long one call may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// What Stripe is told once.
pub struct Account {
    pub secret_key: String,
    pub webhook_secret: String,
    pub api_url: String,
    /// Where people come back to.
    pub public_url: String,
    pub prices: Vec<(Plan, Period, String)>,
    /// Coupon of the promotion; none: each checkout gets its own.
    pub promo_coupon: Option<String>,
}

pub struct Stripe {
    account: Account,
    http: reqwest::Client,
}

type Form = Vec<(String, String)>;

fn field(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

impl Stripe {
    pub fn new(account: Account) -> reqwest::Result<Self> {
        Ok(Self { account, http: kit::outbound::client(PATIENCE)? })
    }

    fn price(&self, plan: Plan, period: Period) -> Result<&str> {
        let found = self.account.prices.iter().find(|(p, q, _)| (*p, *q) == (plan, period));
        found.map(|(_, _, price)| price.as_str()).ok_or(Error::Provider("a plan without a price"))
    }

    fn plan_of(&self, price: &str) -> Option<(Plan, Period)> {
        self.account.prices.iter().find(|(_, _, p)| p == price).map(|(plan, period, _)| (*plan, *period))
    }

    /// One call; `None` when there is no such thing there.
    async fn call(
        &self,
        method: Method,
        path: &str,
        form: &Form,
        key: Option<&str>,
    ) -> Result<Option<Value>> {
        let url = format!("{}{path}", self.account.api_url.trim_end_matches('/'));
        let mut request = self
            .http
            .request(method.clone(), url)
            .bearer_auth(&self.account.secret_key)
            .header("stripe-version", VERSION);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if method == Method::POST {
            request = request.form(form);
        }
        let failed = |error: reqwest::Error| {
            tracing::warn!(error = %error.without_url(), path, "Stripe did not answer");
            Error::Provider("no answer")
        };
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let body: Value = answer.json().await.map_err(failed)?;
        if status.is_success() {
            return Ok(Some(body));
        }
        if status == StatusCode::NOT_FOUND {
            return Ok(None);
        }
        tracing::warn!(status = status.as_u16(), code = %body["error"]["code"], path, "Stripe refused");
        Err(if lasting(status) { Error::ProviderNever("refused") } else { Error::Provider("refused") })
    }

    async fn post(&self, path: &str, form: &Form, key: Option<&str>) -> Result<Value> {
        self.call(Method::POST, path, form, key).await?.ok_or(Error::ProviderNever("no such thing"))
    }

    async fn subscription(&self, id: &str) -> Result<Option<Value>> {
        self.call(Method::GET, &format!("/v1/subscriptions/{id}"), &Form::new(), None).await
    }

    /// A schedule holds its subscription: nothing else can be changed before it is let go.
    async fn release(&self, subscription: &Value) -> Result<()> {
        let schedule = &subscription["schedule"];
        let Some(schedule) = schedule.as_str().or_else(|| schedule["id"].as_str()) else { return Ok(()) };
        self.post(&format!("/v1/subscription_schedules/{schedule}/release"), &Form::new(), None).await?;
        Ok(())
    }

    /// The coupon that brings a checkout from its list price to its amount.
    async fn coupon(&self, checkout: &Checkout) -> Result<Option<String>> {
        if checkout.amount == checkout.list_amount {
            return Ok(None);
        }
        if checkout.credit == 0 && self.account.promo_coupon.is_some() {
            return Ok(self.account.promo_coupon.clone());
        }
        let form = vec![
            field("amount_off", checkout.list_amount - checkout.amount),
            field("currency", checkout.currency.to_lowercase()),
            field("duration", "once"),
            field("max_redemptions", 1),
            field("name", "What is taken off"),
        ];
        let made = self.post("/v1/coupons", &form, Some(&format!("{}-coupon", checkout.id))).await?;
        let id = made["id"].as_str().ok_or(Error::Provider("a coupon without an id"))?;
        Ok(Some(id.to_owned()))
    }
}

/// Whether the same call will be refused again. A key that does not hold (401, 403) is mended by the operator,
/// and no refund may be lost over it.
fn lasting(status: StatusCode) -> bool {
    status.is_client_error()
        && !matches!(
            status,
            StatusCode::UNAUTHORIZED
                | StatusCode::FORBIDDEN
                | StatusCode::REQUEST_TIMEOUT
                | StatusCode::CONFLICT
                | StatusCode::TOO_MANY_REQUESTS
        )
}

fn url(answer: &Value) -> Result<String> {
    answer["url"].as_str().map(ToOwned::to_owned).ok_or(Error::Provider("a page without an address"))
}

#[async_trait]
impl PaymentProvider for Stripe {
    fn name(&self) -> &'static str {
        PROVIDER
    }

    async fn start(&self, checkout: &Checkout, customer: Option<&str>) -> Result<String> {
        let home = &self.account.public_url;
        let mut form = vec![
            field("mode", "subscription"),
            field("client_reference_id", checkout.id),
            field("success_url", format!("{home}/membership?code={}", checkout.id)),
            field("cancel_url", format!("{home}/membership")),
            field("line_items[0][price]", self.price(checkout.plan, checkout.period)?),
            field("line_items[0][quantity]", 1),
            field("subscription_data[metadata][checkout]", checkout.id),
            field("expires_at", checkout.expires_at.unix_timestamp()),
        ];
        if let Some(customer) = customer {
            form.push(field("customer", customer));
        }
        if let Some(coupon) = self.coupon(checkout).await? {
            form.push(field("discounts[0][coupon]", coupon));
        }
        url(&self.post("/v1/checkout/sessions", &form, Some(&checkout.id.to_string())).await?)
    }

    async fn portal(&self, customer: Option<&str>) -> Result<String> {
        let customer = customer.ok_or(Error::NoSubscription)?;
        let home = format!("{}/account", self.account.public_url);
        let form = vec![field("customer", customer), field("return_url", home)];
        url(&self.post("/v1/billing_portal/sessions", &form, None).await?)
    }

    async fn renew(&self, subscription: &str, on: bool) -> Result<()> {
        let Some(now) = self.subscription(subscription).await? else { return Ok(()) };
        self.release(&now).await?;
        let form = vec![field("cancel_at_period_end", !on)];
        self.post(&format!("/v1/subscriptions/{subscription}"), &form, None).await?;
        Ok(())
    }

    async fn change(&self, subscription: &str, plan: Plan, period: Period) -> Result<()> {
        let price = self.price(plan, period)?;
        let Some(now) = self.subscription(subscription).await? else { return Ok(()) };
        self.release(&now).await?;
        let current = now.pointer("/items/data/0/price/id").and_then(Value::as_str).unwrap_or_default();
        if current == price {
            return Ok(());
        }
        let schedule = self
            .post("/v1/subscription_schedules", &vec![field("from_subscription", subscription)], None)
            .await?;
        let id = schedule["id"].as_str().ok_or(Error::Provider("a schedule without an id"))?;
        let phase = &schedule["phases"][0];
        let form = vec![
            field("end_behavior", "release"),
            field("proration_behavior", "none"),
            field("phases[0][items][0][price]", current),
            field("phases[0][items][0][quantity]", 1),
            field("phases[0][start_date]", phase["start_date"].as_i64().unwrap_or_default()),
            field("phases[0][end_date]", phase["end_date"].as_i64().unwrap_or_default()),
            field("phases[1][items][0][price]", price),
            field("phases[1][items][0][quantity]", 1),
            field("phases[1][iterations]", 1),
        ];
        self.post(&format!("/v1/subscription_schedules/{id}"), &form, None).await?;
        Ok(())
    }

    async fn end(&self, subscription: &str) -> Result<()> {
        let Some(now) = self.subscription(subscription).await? else { return Ok(()) };
        if now["status"] != "canceled" {
            self.call(Method::DELETE, &format!("/v1/subscriptions/{subscription}"), &Form::new(), None)
                .await?;
        }
        Ok(())
    }

    async fn refund(&self, payment: &str, amount: i64, key: Uuid) -> Result<()> {
        if amount == 0 {
            return Ok(());
        }
        let invoice = self.call(Method::GET, &format!("/v1/invoices/{payment}"), &Form::new(), None).await?;
        let intent = invoice
            .as_ref()
            .and_then(|i| i["payment_intent"].as_str().or(i["payment_intent"]["id"].as_str()));
        let intent = intent.ok_or(Error::ProviderNever("an invoice without a payment"))?;
        let form = vec![field("payment_intent", intent), field("amount", amount)];
        self.post("/v1/refunds", &form, Some(&key.to_string())).await?;
        Ok(())
    }

    fn read(&self, header: Header<'_>, body: &[u8], now: OffsetDateTime) -> Result<Webhook> {
        webhook::verify(&self.account.webhook_secret, header, body, now)?;
        webhook::parse(body, |price| self.plan_of(price))
    }
}
