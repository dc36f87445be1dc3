use kit::{caller, idempotency, idempotency::Claim};
use prost::Message as _;
use proto::billing::v1::{
    Period as PbPeriod, Plan as PbPlan, ReceiveWebhookRequest, ReceiveWebhookResponse, RenderSandboxRequest,
    RenderSandboxResponse, StartCheckoutRequest, StartCheckoutResponse, SubmitSandboxRequest,
    SubmitSandboxResponse, checkout_server::Checkout as CheckoutService,
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{
    Checkout, money,
    sandbox::{self, Told},
    store, webhooks,
};
use crate::{
    App,
    error::{Error, Result},
    events, limits,
    plans::{Period, Plan},
    subscriptions,
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
        let Some(key) = key else { return Ok(Response::new(self.start(user.id, &ask, None).await?)) };
        let hash = idempotency::hash(&[&ask.encode_to_vec()]);
        match idempotency::claim(&self.db, user.id, "checkout", &key, hash).await.map_err(Error::from)? {
            Claim::Done(answer) => {
                let answer = StartCheckoutResponse::decode(answer.as_slice())
                    .map_err(|_| Error::Refused(kit::error::Failure::internal()))?;
                Ok(Response::new(answer))
            }
            Claim::New(held) => match self.start(user.id, &ask, Some(&held)).await {
                Ok(answer) => Ok(Response::new(answer)),
                Err(error) => {
                    held.abandon(&self.db).await;
                    Err(error.into())
                }
            },
        }
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
        if ask.provider != sandbox::PROVIDER {
            return Err(Error::ProviderUnknown.into());
        }
        if ask.body.len() > limits::WEBHOOK_BODY_MAX {
            return Err(Error::WebhookRefused("too large").into());
        }
        let header = |name: &str| {
            ask.headers.iter().find(|(k, _)| k.eq_ignore_ascii_case(name)).map(|(_, v)| v.clone())
        };
        let id = webhooks::verify(self.sandbox.secret(), header, &ask.body, OffsetDateTime::now_utc())?;
        let told: Told = serde_json::from_slice(&ask.body)
            .map_err(|_| Error::WebhookRefused("a body that is not understood"))?;
        self.take(&id, told).await?;
        Ok(Response::new(ReceiveWebhookResponse {}))
    }
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
        let mut v = kit::error::Violations::new();
        let plan = match ask.plan() {
            PbPlan::Premium => Plan::Premium,
            PbPlan::Deluxe => Plan::Deluxe,
            PbPlan::Free | PbPlan::Unspecified => {
                v.add("plan", "Choose premium or deluxe.");
                Plan::Free
            }
        };
        let period = match ask.period() {
            PbPeriod::Monthly => Period::Monthly,
            PbPeriod::Yearly => Period::Yearly,
            PbPeriod::Unspecified => {
                v.add("period", "Choose monthly or yearly.");
                Period::Monthly
            }
        };
        v.done()?;
        let checkout = Checkout::new(user, plan, period, &ask.promo_code, OffsetDateTime::now_utc())?;
        if let Some(code) = &checkout.promo_code
            && store::promo_used(&self.db, user, code).await?
        {
            return Err(Error::PromoUsed);
        }
        let answer = StartCheckoutResponse { url: format!("/sandbox/checkout/{}", checkout.id) };
        let mut tx = self.db.begin().await?;
        store::add(&mut *tx, &checkout, sandbox::PROVIDER).await?;
        if let Some(held) = held {
            held.finish(&mut *tx, &answer.encode_to_vec()).await?;
        }
        tx.commit().await?;
        Ok(answer)
    }

    /// What the provider does with its form; answers where the browser goes next.
    async fn submit(&self, id: Uuid, outcome: &str) -> Result<String> {
        let state = match outcome {
            // A form that is sent without a button counts as sent by its first one.
            "pay" | "" => "submitted",
            "decline" => "declined",
            "cancel" => "canceled",
            _ => return Err(kit::error::Failure::invalid("outcome", "Pay, decline or cancel.").into()),
        };
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
                let told = Told::Paid { checkout: id, amount: checkout.amount, currency: checkout.currency };
                self.sandbox.tell(&mut *tx, &told).await?;
            }
            "declined" => self.sandbox.tell(&mut *tx, &Told::Declined { checkout: id }).await?,
            _ => {}
        }
        tx.commit().await?;
        Ok(redirect(id, state))
    }

    /// Applies what a provider told, once.
    async fn take(&self, webhook: &str, told: Told) -> Result<()> {
        let mut tx = self.db.begin().await?;
        if !store::first_sight(&mut *tx, sandbox::PROVIDER, webhook).await? {
            return Ok(());
        }
        let Told::Paid { checkout: id, amount, currency } = told else {
            tx.commit().await?;
            return Ok(());
        };
        let Some(checkout) = store::advance(&mut *tx, id, &["open", "submitted"], "paid").await? else {
            tracing::warn!(checkout.id = %id, "paid webhook for a checkout that is not open");
            tx.commit().await?;
            return Ok(());
        };
        if amount != checkout.amount || currency != checkout.currency {
            tracing::error!(checkout.id = %id, amount, expected = checkout.amount, "another amount was paid");
            return Err(Error::WebhookRefused("another amount"));
        }
        // What was paid is honoured, whoever took the promotion first.
        if let Some(code) = &checkout.promo_code {
            store::use_promo(&mut *tx, &checkout, code).await?;
        }
        let now = OffsetDateTime::now_utc();
        subscriptions::paid(&mut tx, checkout.user, checkout.plan, checkout.period, now).await?;
        let params = [
            ("plan", checkout.plan.details().name.to_owned()),
            ("period", checkout.period.as_str().to_owned()),
            ("amount", format!("{} {}", money(checkout.amount), checkout.currency)),
            ("reference", checkout.id.to_string()),
        ];
        events::receipt(&mut tx, checkout.user, &params).await?;
        tx.commit().await?;
        self.notices.hint(checkout.user, "entitlement.changed", checkout.user.to_string()).await;
        Ok(())
    }
}
