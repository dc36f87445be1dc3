use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use kit::{caller, error::Failure};
use proto::catalog::v1::{
    Creator, ListTopCreatorsRequest, ListTopCreatorsResponse, RankedCreator, Ranking,
    creators_server::Creators,
};
use tonic::{Request, Response, Status};

use super::{Figures, Known, best, store};
use crate::{App, error::Result, viewers};

#[tonic::async_trait]
impl Creators for App {
    async fn list_top_creators(
        &self,
        request: Request<ListTopCreatorsRequest>,
    ) -> Result<Response<ListTopCreatorsResponse>, Status> {
        let caller = caller::maybe(&request).map(|u| u.id);
        let by = request.into_inner().by;
        let by = Ranking::try_from(by).map_err(|_| Failure::invalid("by", "An unknown ranking."))?;
        let gate = viewers::gate(&self.db, caller).await?;
        let figures = self.figures().await?;
        let creators = best(&figures, by, &gate.blocks.creators);
        let creators = (1..).zip(creators).map(|(rank, figures)| ranked(rank, figures)).collect();
        Ok(Response::new(ListTopCreatorsResponse { creators }))
    }
}

impl App {
    async fn figures(&self) -> Result<Arc<Vec<Figures>>> {
        // One reckons, the others wait for it.
        let mut known = self.figured.0.lock().await;
        if let Some(known) = known.as_ref().filter(|known| known.until > Instant::now()) {
            return Ok(known.figures.clone());
        }
        let began = Instant::now();
        let figures = store::figures(&self.db).await?;
        let cost: Duration = began.elapsed();
        Ok(known.insert(Known::new(figures, cost)).figures.clone())
    }
}

fn ranked(rank: u32, f: &Figures) -> RankedCreator {
    RankedCreator {
        creator: Some(Creator {
            id: f.id.to_string(),
            username: f.username.clone(),
            avatar_asset: f.avatar_asset.clone(),
        }),
        rank,
        followers: f.followers.unsigned_abs(),
        characters: f.characters.unsigned_abs(),
        chats: f.chats.unsigned_abs(),
        messages: f.messages.unsigned_abs(),
        likes: f.likes.unsigned_abs(),
    }
}
