use kit::{
    caller,
    idempotency::{self, Begun},
};
use prost::Message as _;
use proto::billing::v1::{
    Period as PbPeriod, Plan as PbPlan, ReceiveWebhookRequest, ReceiveWebhookResponse, RenderSandboxRequest,
    RenderSandboxResponse, StartCheckoutRequest, StartCheckoutResponse, SubmitSandboxRequest,
    SubmitSandboxResponse, checkout_server::Checkout as CheckoutService,
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Checkout, store};
use crate::{
    App,
    error::{Error, Result},
    limits,
    payments::Taken,
    plans::{Period, Plan},
    providers::sandbox,
    subscriptions::{self, Buy},
};

#[tonic::async_trait]
impl CheckoutService for App {
    async fn start_checkout(
        &self,
        request: Request<StartCheckoutRequest>,
    ) -> Result<Response<StartCheckoutResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let ask = request.into_inner();
        let held = match idempotency::begin(&self.db, user.id, "checkout", key, &ask).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let started = self.start(user.id, &ask, held.as_ref()).await;
        Ok(Response::new(idempotency::settle(&self.db, held, started).await?))
    }

    async fn render_sandbox(
        &self,
        request: Request<RenderSandboxRequest>,
    ) -> Result<Response<RenderSandboxResponse>, Status> {
        let id = checkout_id(&request.into_inner().checkout_id)?;
        let checkout = store::find_open(&self.db, id).await?.ok_or(Error::CheckoutNotFound)?;
        Ok(Response::new(RenderSandboxResponse { html: sandbox::page(&checkout) }))
    }

    async fn submit_sandbox(
        &self,
        request: Request<SubmitSandboxRequest>,
    ) -> Result<Response<SubmitSandboxResponse>, Status> {
        let ask = request.into_inner();
        let id = checkout_id(&ask.checkout_id)?;
        let outcome = ask.form.get("outcome").map(String::as_str).unwrap_or_default();
        let redirect = self.submit(id, outcome).await?;
        Ok(Response::new(SubmitSandboxResponse { redirect }))
    }

    async fn receive_webhook(
        &self,
        request: Request<ReceiveWebhookRequest>,
    ) -> Result<Response<ReceiveWebhookResponse>, Status> {
        let ask = request.into_inner();
        if ask.provider != self.provider.name() {
            return Err(Error::ProviderUnknown.into());
        }
        if ask.body.len() > limits::WEBHOOK_BODY_MAX {
            return Err(Error::WebhookTooLarge.into());
        }
        let header = |name: &str| {
            ask.headers.iter().find(|(k, _)| k.eq_ignore_ascii_case(name)).map(|(_, v)| v.clone())
        };
        let provider = self.provider.name();
        let taken = match self.provider.read(&header, &ask.body, OffsetDateTime::now_utc()) {
            Ok(webhook) => self.take(provider, webhook).await,
            Err(error) => Err(error),
        };
        let end = match &taken {
            Ok(Taken::Applied) => "applied",
            Ok(Taken::Before) => "repeated",
            Err(Error::WebhookRefused(_)) => "refused",
            Err(_) => "failed",
        };
        metrics::counter!("webhooks_total", "provider" => provider, "end" => end).increment(1);
        taken?;
        Ok(Response::new(ReceiveWebhookResponse {}))
    }
}

/// The plan and period that are asked for.
pub(crate) fn wanted(plan: PbPlan, period: PbPeriod) -> Result<(Plan, Period)> {
    let (plan, period) = (Plan::from_proto(plan), Period::from_proto(period));
    let mut v = kit::error::Violations::new();
    v.check(plan.is_some(), "plan", "Choose premium or deluxe.");
    v.check(period.is_some(), "period", "Choose monthly or yearly.");
    v.done()?;
    Ok((plan.unwrap_or(Plan::Premium), period.unwrap_or(Period::Monthly)))
}

fn checkout_id(text: &str) -> Result<Uuid> {
    Uuid::try_parse(text).map_err(|_| Error::CheckoutNotFound)
}

/// Where the browser goes after its checkout has come to a state.
fn redirect(id: Uuid, state: &str) -> String {
    match state {
        "submitted" | "paid" => format!("/membership?code={id}"),
        "declined" => "/membership?declined=1".into(),
        _ => "/membership".into(),
    }
}

impl App {
    async fn start(
        &self,
        user: Uuid,
        ask: &StartCheckoutRequest,
        held: Option<&idempotency::Held>,
    ) -> Result<StartCheckoutResponse> {
        let to = wanted(ask.plan(), ask.period())?;
        let now = kit::db::now(&self.db).await?;
        match subscriptions::quote(&self.db, self.provider.name(), user, to, now).await? {
            Buy::Pay { credit, customer } => {
                let checkout = self.checkout(user, to, &ask.promo_code, credit, now)?;
                let url = self.open(&checkout, customer.as_deref()).await?;
                let answer = StartCheckoutResponse { url };
                let mut tx = self.db.begin().await?;
                store::add(&mut *tx, &checkout, self.provider.name()).await?;
                if let Some(held) = held {
                    held.finish(&mut *tx, &answer.encode_to_vec()).await?;
                }
                tx.commit().await?;
                Ok(answer)
            }
            Buy::Wait => {
                let answer = StartCheckoutResponse { url: "/account".into() };
                self.change_later(user, to, async |tx, _| {
                    if let Some(held) = held {
                        held.finish(&mut **tx, &answer.encode_to_vec()).await?;
                    }
                    Ok(())
                })
                .await?;
                Ok(answer)
            }
        }
    }

    /// Has the provider open its page.
    pub(crate) async fn open(&self, checkout: &Checkout, customer: Option<&str>) -> Result<String> {
        if let Some(code) = &checkout.promo_code
            && store::promo_used(&self.db, checkout.user, code).await?
        {
            return Err(Error::PromoUsed);
        }
        self.provider.start(checkout, customer).await
    }

    /// What the provider does with its form; answers where the browser goes next.
    async fn submit(&self, id: Uuid, outcome: &str) -> Result<String> {
        let state = match outcome {
            // A form that is sent without a button counts as sent by its first one.
            "pay" | "pay_then_fail_renewal" | "" => "submitted",
            "decline" => "declined",
            "cancel" => "canceled",
            _ => return Err(kit::error::Failure::invalid("outcome", "Pay, decline or cancel.").into()),
        };
        let sandbox = self.sandbox.as_ref().ok_or(Error::CheckoutNotFound)?;
        let mut tx = self.db.begin().await?;
        let Some(checkout) = store::advance(&mut *tx, id, &["open"], state).await? else {
            // The back button, or a double click: the first answer stands.
            return match store::state(&mut *tx, id).await?.as_deref() {
                None | Some("open") => Err(Error::CheckoutNotFound),
                Some(earlier) => Ok(redirect(id, earlier)),
            };
        };
        match state {
            "submitted" => {
                // Here and not when the page opens: of two pages that are open, one gets the price.
                if let Some(code) = &checkout.promo_code
                    && !store::use_promo(&mut *tx, &checkout, code).await?
                {
                    return Err(Error::PromoUsed);
                }
                sandbox.pay(&mut tx, &checkout, outcome == "pay_then_fail_renewal").await?;
            }
            "declined" => sandbox.decline(&mut tx).await?,
            _ => {}
        }
        tx.commit().await?;
        Ok(redirect(id, state))
    }
}
