//! What the reader does not want to see.

use axum::{Json, extract::State as Shared};
use proto::catalog::v1::{self as pb, BlockKind, ListBlocksRequest, SetBlockRequest};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{State, errors::Answer, extract::JsonBody};

#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BlockedKind {
    Tag,
    Creator,
    Character,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct Block {
    kind: BlockedKind,
    /// A slug, or an id.
    target: String,
    /// What people call it; empty when it is gone.
    label: String,
}

impl From<pb::Block> for Block {
    fn from(block: pb::Block) -> Self {
        let kind = match block.kind() {
            BlockKind::Creator => BlockedKind::Creator,
            BlockKind::Character => BlockedKind::Character,
            BlockKind::Tag | BlockKind::Unspecified => BlockedKind::Tag,
        };
        Self { kind, target: block.target, label: block.label }
    }
}

#[derive(Serialize, ToSchema)]
pub struct BlockList {
    success: bool,
    blocks: Vec<Block>,
}

impl BlockList {
    fn of(blocks: Vec<pb::Block>) -> Json<Self> {
        Json(Self { success: true, blocks: blocks.into_iter().map(Into::into).collect() })
    }
}

/// The reader's block list.
#[utoipa::path(get, path = "/blocks", tag = "lists", responses((status = 200, body = BlockList)))]
pub async fn list(Shared(app): Shared<State>) -> Answer<Json<BlockList>> {
    Ok(BlockList::of(app.clients.blocks().list_blocks(ListBlocksRequest {}).await?.into_inner().blocks))
}

#[derive(Deserialize, ToSchema)]
pub struct BlockBody {
    kind: BlockedKind,
    /// A slug, or an id.
    #[schema(max_length = 64)]
    target: String,
    on: bool,
}

/// Blocks, or no longer.
#[utoipa::path(post, path = "/blocks", tag = "lists", request_body = BlockBody, responses((status = 200, body = BlockList)))]
pub async fn set(Shared(app): Shared<State>, JsonBody(body): JsonBody<BlockBody>) -> Answer<Json<BlockList>> {
    let kind = match body.kind {
        BlockedKind::Tag => BlockKind::Tag,
        BlockedKind::Creator => BlockKind::Creator,
        BlockedKind::Character => BlockKind::Character,
    };
    let request = SetBlockRequest { kind: kind.into(), target: body.target, on: body.on };
    Ok(BlockList::of(app.clients.blocks().set_block(request).await?.into_inner().blocks))
}
