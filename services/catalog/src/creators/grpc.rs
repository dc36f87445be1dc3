use kit::{caller, error::Failure};
use proto::catalog::v1::{
    Creator, ListTopCreatorsRequest, ListTopCreatorsResponse, RankedCreator, Ranking,
    creators_server::Creators,
};
use tonic::{Request, Response, Status};

use super::Figures;
use crate::{App, viewers};

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
        let rankings = self.figured.get().await;
        let creators = rankings.best(by, &gate.blocks.creators);
        let creators = (1..).zip(creators).map(|(rank, figures)| ranked(rank, figures)).collect();
        Ok(Response::new(ListTopCreatorsResponse { creators }))
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
        badge: f.badge,
    }
}
