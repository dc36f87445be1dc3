use kit::{caller, page::Page};
use proto::catalog::v1::{
    DecideHeldRequest, DecideHeldResponse, ListHeldRequest, ListHeldResponse, held_server::Held,
};
use tonic::{Request, Response, Status};

use super::store;
use crate::{
    App, cards,
    characters::{gate, store as characters},
};

#[tonic::async_trait]
impl Held for App {
    async fn list_held(
        &self,
        request: Request<ListHeldRequest>,
    ) -> Result<Response<ListHeldResponse>, Status> {
        caller::admin(&request)?;
        let page = Page::from_proto(request.into_inner().page.as_ref())?;
        let offset = i64::try_from(page.offset()).unwrap_or(i64::MAX);
        let queue = store::queue(&self.db, page.limit.into(), offset).await?;
        let total = store::count_queue(&self.db).await?;
        let ids: Vec<_> = queue.iter().map(|held| held.character_id).collect();
        let rows = characters::find(&self.db, &ids).await?;
        let mut told = Vec::new();
        for held in &queue {
            let Some(row) = rows.iter().find(|row| row.id() == held.character_id) else { continue };
            let extras = characters::extras(&self.db, held.character_id).await?;
            let hidden = cards::hidden(&self.db, held.character_id).await?;
            told.push(gate::held(row, (&extras, &hidden), &held.about, held.since));
        }
        let page = Some(page.info(total.unsigned_abs()));
        Ok(Response::new(ListHeldResponse { characters: told, page }))
    }

    async fn decide_held(
        &self,
        request: Request<DecideHeldRequest>,
    ) -> Result<Response<DecideHeldResponse>, Status> {
        let by = caller::admin(&request)?;
        let ask = request.into_inner();
        let id = kit::ids::find("character_not_found", &ask.id)?;
        self.decide_about(by.id, id, ask.decision(), &ask.reasons).await?;
        Ok(Response::new(DecideHeldResponse {}))
    }
}
