use kit::{caller, error::Failure};
use proto::catalog::v1::{
    ReactRequest, ReactResponse, Reaction, ToggleCharacterFollowRequest, ToggleCharacterFollowResponse,
    reactions_server::Reactions,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::store;
use crate::{
    App,
    characters::{rows, store as characters},
    error::{Error, Result},
    viewers,
};

#[tonic::async_trait]
impl Reactions for App {
    async fn react(&self, request: Request<ReactRequest>) -> Result<Response<ReactResponse>, Status> {
        let user = caller::user(&request)?;
        let ask = request.into_inner();
        let id = kit::ids::find("character_not_found", &ask.character_id)?;
        let kind = match ask.reaction() {
            Reaction::Like => "like",
            Reaction::Dislike => "dislike",
            Reaction::Unspecified => {
                return Err(Failure::invalid("reactionType", "Choose like or dislike.").into());
            }
        };
        Ok(Response::new(self.set_reaction(user.id, id, kind).await?))
    }

    async fn toggle_character_follow(
        &self,
        request: Request<ToggleCharacterFollowRequest>,
    ) -> Result<Response<ToggleCharacterFollowResponse>, Status> {
        let user = caller::user(&request)?;
        let id = kit::ids::find("character_not_found", &request.into_inner().character_id)?;
        // What one follows can be let go of also when it is no longer to be seen.
        if !characters::relation(&self.db, id, user.id).await?.1 {
            self.must_see(user.id, id).await?;
        }
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        let is_following = store::toggle_follow(&mut tx, id, user.id).await?;
        let counts = store::counts(&mut *tx, id).await?;
        tx.commit().await.map_err(Error::from)?;
        Ok(Response::new(ToggleCharacterFollowResponse {
            is_following,
            follow_count: counts.follows.unsigned_abs(),
        }))
    }
}

impl App {
    async fn set_reaction(&self, user: Uuid, id: Uuid, kind: &str) -> Result<ReactResponse> {
        // And what one said can be taken back.
        if characters::relation(&self.db, id, user).await?.0.as_deref() != Some(kind) {
            self.must_see(user, id).await?;
        }
        let mut tx = self.db.begin().await?;
        let stands = store::react(&mut tx, id, user, kind).await?;
        characters::relist(&mut tx, id, false).await?;
        let counts = store::counts(&mut *tx, id).await?;
        tx.commit().await?;
        let user_reaction = match stands.as_deref() {
            Some("like") => Reaction::Like,
            Some(_) => Reaction::Dislike,
            None => Reaction::Unspecified,
        };
        Ok(ReactResponse {
            likes: counts.likes.unsigned_abs(),
            dislikes: counts.dislikes.unsigned_abs(),
            user_reaction: user_reaction.into(),
        })
    }

    /// # Errors
    /// `CharacterNotFound` when the character is not this user's to see in full.
    pub(crate) async fn must_see(&self, user: Uuid, id: Uuid) -> Result<rows::Row> {
        let gate = viewers::gate(&self.db, Some(user)).await?;
        let row = rows::one(&self.db, id).await?;
        row.filter(|row| gate.opens(row)).ok_or(Error::CharacterNotFound)
    }
}
