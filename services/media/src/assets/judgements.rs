//! Pictures that wait for a moderator.

use kit::{caller, error::Violations, page::Page, text, time::to_proto};
use proto::media::v1::{
    JudgeAssetRequest, JudgeAssetResponse, ListWaitingRequest, ListWaitingResponse, WaitingAsset,
    judgements_server::Judgements,
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};

use super::{
    AssetId,
    standing::{self, Standing},
};
use crate::{
    App,
    error::{Error, Result},
    events, limits,
};

/// Rule of what a moderator refuses.
const BY_A_MODERATOR: &str = "moderator";

#[tonic::async_trait]
impl Judgements for App {
    async fn list_waiting(
        &self,
        request: Request<ListWaitingRequest>,
    ) -> Result<Response<ListWaitingResponse>, Status> {
        caller::admin(&request)?;
        let page = Page::from_proto(request.into_inner().page.as_ref())?;
        let rows = standing::waiting(&self.db, page.limit, page.offset()).await?;
        let total = rows.first().map_or(0, |row| row.total.unsigned_abs());
        let now = OffsetDateTime::now_utc();
        let assets = rows.into_iter().map(|row| WaitingAsset {
            signature: AssetId::parse(&row.id).map(|id| self.signer.query(&id, now)).unwrap_or_default(),
            asset: row.id,
            owner_id: row.owner.map(|o| o.to_string()).unwrap_or_default(),
            origin: row.origin,
            since: Some(to_proto(row.created_at)),
            width: row.width.unsigned_abs(),
            height: row.height.unsigned_abs(),
        });
        Ok(Response::new(ListWaitingResponse { assets: assets.collect(), page: Some(page.info(total)) }))
    }

    async fn judge_asset(
        &self,
        request: Request<JudgeAssetRequest>,
    ) -> Result<Response<JudgeAssetResponse>, Status> {
        caller::admin(&request)?;
        let ask = request.into_inner();
        self.judged(&ask).await?;
        Ok(Response::new(JudgeAssetResponse {}))
    }
}

impl App {
    async fn judged(&self, ask: &JudgeAssetRequest) -> Result<()> {
        let asset = AssetId::parse(&ask.asset).ok_or(Error::AssetNotFound)?;
        let mut v = Violations::new();
        let reasons = text::clean(&ask.reasons, limits::REASONS).unwrap_or_else(|why| {
            v.add("reasons", why.to_string());
            String::new()
        });
        v.check(ask.pass || !reasons.is_empty(), "reasons", "Say why, for its owner.");
        v.done()?;
        let mut tx = self.db.begin().await?;
        let standing = if ask.pass { Standing::Passed } else { Standing::Refused };
        let owner = sqlx::query_scalar!("select owner from asset where id = $1", asset.as_str())
            .fetch_optional(&mut *tx)
            .await?
            .ok_or(Error::AssetNotFound)?;
        if !standing::settle(&mut tx, asset.as_str(), standing, if ask.pass { "" } else { BY_A_MODERATOR })
            .await?
        {
            return Err(Error::NotWaiting);
        }
        if let (false, Some(owner)) = (ask.pass, owner) {
            events::picture_refused(&mut tx, owner, &reasons).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
