use kit::{caller, ids};
use proto::chat::v1::{
    self as pb, GetManifestRequest, GetManifestResponse, PreviewPromptRequest, PreviewPromptResponse,
    prompts_server::Prompts,
};
use tonic::{Request, Response, Status};

use super::{manifest::Manifest, store};
use crate::{
    App, chats,
    error::{Error, Result},
};

#[tonic::async_trait]
impl Prompts for App {
    async fn get_manifest(
        &self,
        request: Request<GetManifestRequest>,
    ) -> Result<Response<GetManifestResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let chat = ids::find("chat_not_found", &request.chat_id)?;
        let message = ids::find("manifest_not_found", &request.message_id)?;
        chats::store::find(&self.db, user.id, chat).await?.ok_or(Error::ChatNotFound)?;
        let manifest = store::of_message(&self.db, chat, message).await?.ok_or(Error::ManifestNotFound)?;
        Ok(Response::new(GetManifestResponse { manifest: Some(shown(manifest)) }))
    }

    async fn preview_prompt(
        &self,
        _: Request<PreviewPromptRequest>,
    ) -> Result<Response<PreviewPromptResponse>, Status> {
        Err(Status::unimplemented("being built"))
    }
}

fn shown(manifest: Manifest) -> pb::PromptManifest {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let blocks = manifest.blocks.into_iter().map(|block| pb::PromptBlock {
        block: block.block,
        title: block.title,
        tokens: count(block.tokens),
        included: block.included,
        why: block.why.map_or("", super::Why::as_str).to_owned(),
        parts: block.parts.map(count),
        dropped: block.dropped.map(count),
        entries: block
            .entries
            .into_iter()
            .map(|entry| pb::PromptEntry {
                id: entry.id,
                title: entry.title,
                tokens: count(entry.tokens),
                included: entry.included,
                why: entry.why.map_or("", super::Why::as_str).to_owned(),
                text: String::new(),
            })
            .collect(),
    });
    pb::PromptManifest {
        engine: manifest.engine,
        model: manifest.model,
        budget: count(manifest.budget),
        reply: count(manifest.reply),
        tokens: count(manifest.tokens),
        estimated: manifest.estimated,
        prefix_tokens: manifest.prefix_tokens.map(count),
        blocks: blocks.collect(),
        warnings: manifest.warnings,
    }
}
