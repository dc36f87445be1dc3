use kit::{caller, error::Failure};
use proto::catalog::v1::{
    BlockKind, ListBlocksRequest, ListBlocksResponse, SetBlockRequest, SetBlockResponse, blocks_server,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Blocks, store, word};
use crate::{
    App,
    characters::{rows, slug},
    error::{Error, Result},
    limits, viewers,
};

#[tonic::async_trait]
impl blocks_server::Blocks for App {
    async fn list_blocks(
        &self,
        request: Request<ListBlocksRequest>,
    ) -> Result<Response<ListBlocksResponse>, Status> {
        let user = caller::user(&request)?;
        Ok(Response::new(ListBlocksResponse { blocks: store::list(&self.db, user.id).await? }))
    }

    async fn set_block(
        &self,
        request: Request<SetBlockRequest>,
    ) -> Result<Response<SetBlockResponse>, Status> {
        let user = caller::user(&request)?;
        self.block(user.id, request.into_inner()).await?;
        self.viewer_changed(user.id).await;
        Ok(Response::new(SetBlockResponse { blocks: store::list(&self.db, user.id).await? }))
    }
}

impl App {
    async fn block(&self, user: Uuid, ask: SetBlockRequest) -> Result<()> {
        let kind = ask.kind();
        let word = word(kind).ok_or_else(|| Failure::invalid("kind", "Choose tag, creator or character."))?;
        let target = match kind {
            BlockKind::Tag => tag(&ask.target)?,
            BlockKind::Creator => kit::ids::find("user_not_found", &ask.target)?.to_string(),
            _ => kit::ids::find("character_not_found", &ask.target)?.to_string(),
        };
        if !ask.on {
            return store::remove(&self.db, user, word, &target).await;
        }
        self.must_be_there(user, kind, &target).await?;
        let mut tx = self.db.begin().await?;
        store::add(&mut tx, user, word, &target).await?;
        tx.commit().await?;
        Ok(())
    }

    /// What is blocked is there, and somebody else's.
    async fn must_be_there(&self, user: Uuid, kind: BlockKind, target: &str) -> Result<()> {
        let Ok(id) = Uuid::try_parse(target) else { return Ok(()) };
        if kind == BlockKind::Creator {
            if id == user {
                return Err(Failure::invalid("target", "You cannot block yourself.").into());
            }
            if !store::is_creator(&self.db, id).await? {
                return Err(Failure::not_found("user_not_found").into());
            }
        }
        if kind == BlockKind::Character {
            // Without the blocks that stand: one may block what one does not see for another block.
            let mut gate = viewers::gate(&self.db, Some(user)).await?;
            gate.blocks = Blocks::default();
            let row = rows::one(&self.db, id).await?;
            row.and_then(|row| gate.card(&row)).ok_or(Error::CharacterNotFound)?;
        }
        Ok(())
    }
}

fn tag(text: &str) -> Result<String> {
    let slug = slug(text);
    if slug.is_empty() || slug.chars().count() > limits::TAG_MAX {
        return Err(Failure::invalid("target", "That is not a tag.").into());
    }
    Ok(slug)
}
