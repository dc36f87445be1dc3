use proto::billing::v1::{ListPlansRequest, ListPlansResponse, PlanDetails, plans_server::Plans};
use tonic::{Request, Response, Status};

use super::{CURRENCY, PLANS};
use crate::App;

#[tonic::async_trait]
impl Plans for App {
    async fn list_plans(&self, _: Request<ListPlansRequest>) -> Result<Response<ListPlansResponse>, Status> {
        let minor = |amount: i64| u32::try_from(amount).unwrap_or(0);
        let plans = PLANS.iter().map(|p| PlanDetails {
            plan: p.plan.to_proto().into(),
            name: p.name.into(),
            monthly_price: minor(p.monthly),
            yearly_price: minor(p.yearly),
            currency: CURRENCY.into(),
            messages_per_month: p.messages_per_month,
            coins_per_month: p.coins_per_month,
            memory_tokens: self.memory.of(p.plan),
            perks: p.perks(self.memory),
        });
        Ok(Response::new(ListPlansResponse { plans: plans.collect() }))
    }
}
