use kit::{caller, error::Violations};
use proto::billing::v1::{
    Balance, GetBalanceRequest, GetBalanceResponse, ReserveCoinsRequest, ReserveCoinsResponse,
    coins_server::Coins,
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

impl From<store::Balance> for Balance {
    fn from(b: store::Balance) -> Self {
        Self { available: b.available.unsigned_abs(), reserved: b.reserved.unsigned_abs() }
    }
}
