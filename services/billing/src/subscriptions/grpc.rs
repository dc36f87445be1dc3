use kit::{caller, time::to_proto};
use proto::billing::v1::{
    CancelSubscriptionRequest, CancelSubscriptionResponse, Entitlement, GetEntitlementRequest,
    GetEntitlementResponse, GetSubscriptionRequest, GetSubscriptionResponse, Subscription as PbSubscription,
    SubscriptionStatus, subscriptions_server::Subscriptions,
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::{Subscription, store};
use crate::{
    App,
    error::{Error, Result},
    events,
    plans::Plan,
};

impl From<&Subscription> for PbSubscription {
    fn from(s: &Subscription) -> Self {
        let plan = s.plan_now(OffsetDateTime::now_utc());
        Self {
            status: SubscriptionStatus::from(s.status).into(),
            plan: plan.to_proto().into(),
            period: s.period.to_proto().into(),
            ends_at: s.ends_at.map(to_proto),
            next_payment_at: s.next_payment_at.map(to_proto),
            last_payment_at: s.last_payment_at.map(to_proto),
        }
    }
}

impl From<&Subscription> for Entitlement {
    fn from(s: &Subscription) -> Self {
        let plan = s.plan_now(OffsetDateTime::now_utc());
        let details = plan.details();
        Self {
            plan: plan.to_proto().into(),
            status: SubscriptionStatus::from(s.status).into(),
            messages_per_month: details.messages_per_month,
            memory_tokens: details.memory_tokens,
            can_create: plan != Plan::Free,
            priority: plan == Plan::Deluxe,
            version: s.version,
            until: s.ends_at.filter(|_| plan != Plan::Free).map(to_proto),
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
        let found = store::find(&self.db, user.id).await?;
        Ok(Response::new(GetSubscriptionResponse { subscription: Some((&found).into()) }))
    }

    async fn get_entitlement(
        &self,
        request: Request<GetEntitlementRequest>,
    ) -> Result<Response<GetEntitlementResponse>, Status> {
        let user = caller::user(&request)?;
        let found = store::find(&self.db, user.id).await?;
        Ok(Response::new(GetEntitlementResponse { entitlement: Some((&found).into()) }))
    }

    async fn cancel_subscription(
        &self,
        request: Request<CancelSubscriptionRequest>,
    ) -> Result<Response<CancelSubscriptionResponse>, Status> {
        let user = caller::user(&request)?;
        let canceled = self.cancel(user.id).await?;
        self.notices.hint(user.id, "entitlement.changed", user.id.to_string()).await;
        Ok(Response::new(CancelSubscriptionResponse { subscription: Some((&canceled).into()) }))
    }
}

impl App {
    async fn cancel(&self, user: uuid::Uuid) -> Result<Subscription> {
        let mut tx = self.db.begin().await?;
        let canceled = store::cancel(&mut *tx, user).await?.ok_or(Error::NoSubscription)?;
        events::entitlement_changed(&mut tx, &canceled, OffsetDateTime::now_utc()).await?;
        tx.commit().await?;
        Ok(canceled)
    }
}
