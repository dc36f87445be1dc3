use kit::{
    caller,
    idempotency::{self, Begun, Held},
    page::Page,
    time::to_proto,
};
use prost::Message as _;
use proto::billing::v1::{
    BeginWithdrawalRequest, BeginWithdrawalResponse, CancelSubscriptionRequest, CancelSubscriptionResponse,
    ChangePlanRequest, ChangePlanResponse, ConfirmWithdrawalRequest, ConfirmWithdrawalResponse, Entitlement,
    GetEntitlementRequest, GetEntitlementResponse, GetSubscriptionRequest, GetSubscriptionResponse,
    ListReceiptsRequest, ListReceiptsResponse, OpenPortalRequest, OpenPortalResponse,
    ReactivateSubscriptionRequest, ReactivateSubscriptionResponse, Subscription as PbSubscription,
    SubscriptionStatus, subscriptions_server::Subscriptions,
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Buy, Subscription, quote, store};
use crate::{
    App,
    checkout::{self, grpc::wanted},
    error::{Error, Result},
    plans::Plan,
    receipts,
};

impl From<&Subscription> for PbSubscription {
    fn from(s: &Subscription) -> Self {
        let now = OffsetDateTime::now_utc();
        let plan = s.plan_now(now);
        Self {
            status: SubscriptionStatus::from(s.status).into(),
            plan: plan.to_proto().into(),
            period: s.period.to_proto().into(),
            ends_at: s.ends_at.map(to_proto),
            next_payment_at: s.next_payment_at.map(to_proto),
            last_payment_at: s.last_payment_at.map(to_proto),
            next_plan: s.next.map_or_else(Default::default, |(plan, _)| plan.to_proto().into()),
            next_period: s.next.map_or_else(Default::default, |(_, period)| period.to_proto().into()),
            withdrawable_until: s.withdrawable_until(now).map(to_proto),
        }
    }
}

impl App {
    /// What somebody may use.
    fn entitlement(&self, s: &Subscription) -> Entitlement {
        let plan = s.plan_now(OffsetDateTime::now_utc());
        let details = plan.details();
        Entitlement {
            plan: plan.to_proto().into(),
            status: SubscriptionStatus::from(s.status).into(),
            messages_per_month: details.messages_per_month,
            memory_tokens: self.memory.of(plan),
            can_create: plan != Plan::Free,
            priority: plan == Plan::Deluxe,
            version: s.version,
            until: s.access_until().filter(|_| plan != Plan::Free).map(to_proto),
        }
    }
}

#[tonic::async_trait]
impl Subscriptions for App {
    async fn get_subscription(
        &self,
        request: Request<GetSubscriptionRequest>,
    ) -> Result<Response<GetSubscriptionResponse>, Status> {
        let user = caller::user(&request)?;
        let (found, balance) = store::find_with_balance(&self.db, user.id).await?;
        Ok(Response::new(GetSubscriptionResponse {
            subscription: Some((&found).into()),
            balance: Some(balance.into()),
        }))
    }

    async fn get_entitlement(
        &self,
        request: Request<GetEntitlementRequest>,
    ) -> Result<Response<GetEntitlementResponse>, Status> {
        let user = caller::user(&request)?;
        let found = store::find(&self.db, user.id).await?;
        Ok(Response::new(GetEntitlementResponse { entitlement: Some(self.entitlement(&found)) }))
    }

    async fn cancel_subscription(
        &self,
        request: Request<CancelSubscriptionRequest>,
    ) -> Result<Response<CancelSubscriptionResponse>, Status> {
        let user = caller::user(&request)?;
        let canceled = self.cancel(user.id).await?;
        Ok(Response::new(CancelSubscriptionResponse { subscription: Some((&canceled).into()) }))
    }

    async fn reactivate_subscription(
        &self,
        request: Request<ReactivateSubscriptionRequest>,
    ) -> Result<Response<ReactivateSubscriptionResponse>, Status> {
        let user = caller::user(&request)?;
        let active = self.reactivate(user.id).await?;
        Ok(Response::new(ReactivateSubscriptionResponse { subscription: Some((&active).into()) }))
    }

    async fn change_plan(
        &self,
        request: Request<ChangePlanRequest>,
    ) -> Result<Response<ChangePlanResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let ask = request.into_inner();
        let held = match idempotency::begin(&self.db, user.id, "change_plan", key, &ask).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let changed = self.change(user.id, &ask, held.as_ref()).await;
        Ok(Response::new(idempotency::settle(&self.db, held, changed).await?))
    }

    async fn begin_withdrawal(
        &self,
        request: Request<BeginWithdrawalRequest>,
    ) -> Result<Response<BeginWithdrawalResponse>, Status> {
        let user = caller::user(&request)?;
        Ok(Response::new(self.begin_withdrawal(user.id).await?))
    }

    async fn confirm_withdrawal(
        &self,
        request: Request<ConfirmWithdrawalRequest>,
    ) -> Result<Response<ConfirmWithdrawalResponse>, Status> {
        let user = caller::user(&request)?;
        let id = request.into_inner().withdrawal_id;
        Ok(Response::new(self.confirm_withdrawal(user.id, &id).await?))
    }

    async fn list_receipts(
        &self,
        request: Request<ListReceiptsRequest>,
    ) -> Result<Response<ListReceiptsResponse>, Status> {
        let user = caller::user(&request)?;
        let page = Page::from_proto(request.get_ref().page.as_ref())?;
        let total = receipts::store::count(&self.db, user.id).await?;
        let receipts = receipts::store::list(&self.db, user.id, page).await?;
        Ok(Response::new(ListReceiptsResponse {
            receipts: receipts.iter().map(Into::into).collect(),
            page: Some(page.info(total)),
        }))
    }

    async fn open_portal(
        &self,
        request: Request<OpenPortalRequest>,
    ) -> Result<Response<OpenPortalResponse>, Status> {
        let user = caller::user(&request)?;
        let s = store::find(&self.db, user.id).await?;
        if s.provider.as_deref() != Some(self.provider.name()) {
            return Err(Error::NoSubscription.into());
        }
        let url = self.provider.portal(s.customer.as_deref()).await?;
        Ok(Response::new(OpenPortalResponse { url }))
    }
}

impl App {
    async fn change(
        &self,
        user: Uuid,
        ask: &ChangePlanRequest,
        held: Option<&Held>,
    ) -> Result<ChangePlanResponse> {
        let to = wanted(ask.plan(), ask.period())?;
        let now = kit::db::now(&self.db).await?;
        let s = store::find(&self.db, user).await?;
        if !s.is_paid_at(now) {
            return Err(Error::NoSubscription);
        }
        let mut answer = ChangePlanResponse { url: String::new(), subscription: Some((&s).into()) };
        match quote(&self.db, self.provider.name(), user, to, now).await? {
            Buy::Pay { credit, customer } => {
                let checkout = self.checkout(user, to, "", credit, now)?;
                answer.url = self.open(&checkout, customer.as_deref()).await?;
                let mut tx = self.db.begin().await?;
                checkout::store::add(&mut *tx, &checkout, self.provider.name()).await?;
                if let Some(held) = held {
                    held.finish(&mut *tx, &answer.encode_to_vec()).await?;
                }
                tx.commit().await?;
            }
            Buy::Wait => {
                let after = self
                    .change_later(user, to, async |tx, s| {
                        let answer = ChangePlanResponse { url: String::new(), subscription: Some(s.into()) };
                        if let Some(held) = held {
                            held.finish(&mut **tx, &answer.encode_to_vec()).await?;
                        }
                        Ok(())
                    })
                    .await?;
                answer.subscription = Some((&after).into());
            }
        }
        Ok(answer)
    }
}
