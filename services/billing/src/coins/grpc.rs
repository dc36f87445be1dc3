use kit::{caller, error::Violations, page::Page, time::to_proto};
use proto::billing::v1::{
    Balance, GetBalanceRequest, GetBalanceResponse, ListMovementsRequest, ListMovementsResponse, Movement,
    ReserveCoinsRequest, ReserveCoinsResponse, coins_server::Coins,
};
use tonic::{Request, Response, Status};

use super::store;
use crate::{App, error::Error, limits};

#[tonic::async_trait]
impl Coins for App {
    async fn get_balance(
        &self,
        request: Request<GetBalanceRequest>,
    ) -> Result<Response<GetBalanceResponse>, Status> {
        let user = caller::user(&request)?;
        let balance = store::balance(&self.db, user.id).await?;
        Ok(Response::new(GetBalanceResponse { balance: Some(balance.into()) }))
    }

    async fn list_movements(
        &self,
        request: Request<ListMovementsRequest>,
    ) -> Result<Response<ListMovementsResponse>, Status> {
        let user = caller::user(&request)?;
        let page = Page::from_proto(request.get_ref().page.as_ref())?;
        let total = store::count_movements(&self.db, user.id).await?;
        let movements = store::movements(&self.db, user.id, page).await?;
        Ok(Response::new(ListMovementsResponse {
            movements: movements.into_iter().map(Movement::from).collect(),
            page: Some(page.info(total)),
        }))
    }

    async fn reserve_coins(
        &self,
        request: Request<ReserveCoinsRequest>,
    ) -> Result<Response<ReserveCoinsResponse>, Status> {
        let user = caller::user(&request)?;
        let ask = request.into_inner();
        let reference = kit::ids::parse("ref", &ask.r#ref).map_err(Error::from)?;
        let mut v = Violations::new();
        v.check((1..=limits::RESERVATION_MAX).contains(&ask.amount), "amount", "Between 1 and 10,000 coins.");
        v.check(!ask.reason.trim().is_empty(), "reason", "A movement of coins has a reason.");
        v.done().map_err(Error::from)?;
        let balance = store::reserve(&self.db, user.id, reference, ask.amount, &ask.reason).await?;
        self.notices.hint(user.id, "coins.changed", user.id.to_string()).await;
        Ok(Response::new(ReserveCoinsResponse { balance: Some(balance.into()) }))
    }
}

impl From<store::Movement> for Movement {
    fn from(m: store::Movement) -> Self {
        Self {
            id: m.id.to_string(),
            kind: m.kind,
            reason: m.reason,
            available: m.available,
            reserved: m.reserved,
            at: Some(to_proto(m.at)),
        }
    }
}

impl From<store::Balance> for Balance {
    fn from(b: store::Balance) -> Self {
        Self { available: b.available.unsigned_abs(), reserved: b.reserved.unsigned_abs() }
    }
}
