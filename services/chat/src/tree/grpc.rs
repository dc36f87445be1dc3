use std::time::Duration;

use kit::{
    caller,
    idempotency::{Begun, begin, settle},
    ids,
};
use prost::Message as _;
use proto::chat::v1::{
    DeleteMessageRequest, DeleteMessageResponse, EditMessageRequest, EditMessageResponse, ForkChatRequest,
    ForkChatResponse, GetTreeRequest, GetTreeResponse, RestoreMessageRequest, RestoreMessageResponse, Sender,
    SetLeafRequest, SetLeafResponse, TreeNode, UndoClearRequest, UndoClearResponse, tree_server::Tree,
};
use time::OffsetDateTime;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{act::Fork, store};
use crate::{
    App,
    chats::{self, Message},
    error::{Error, Result},
    limits::{NODES_MAX, UNDO_FOR_S},
};

#[tonic::async_trait]
impl Tree for App {
    async fn edit_message(
        &self,
        request: Request<EditMessageRequest>,
    ) -> Result<Response<EditMessageResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let (chat, message) = addressed(&request.chat_id, &request.message_id)?;
        let (message, path) = self.edit(user.id, chat, message, &request.content).await?;
        self.changed(user.id, chat);
        Ok(Response::new(EditMessageResponse { message: Some(message.into()), messages: told(path) }))
    }

    async fn set_leaf(&self, request: Request<SetLeafRequest>) -> Result<Response<SetLeafResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let (chat, message) = addressed(&request.chat_id, &request.message_id)?;
        let path = App::set_leaf(self, user.id, chat, message).await?;
        self.changed(user.id, chat);
        Ok(Response::new(SetLeafResponse { messages: told(path) }))
    }

    async fn delete_message(
        &self,
        request: Request<DeleteMessageRequest>,
    ) -> Result<Response<DeleteMessageResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let (chat, message) = addressed(&request.chat_id, &request.message_id)?;
        let (path, deleted, at) = self.delete(user.id, chat, message).await?;
        self.changed(user.id, chat);
        Ok(Response::new(DeleteMessageResponse {
            messages: told(path),
            deleted: u32::try_from(deleted).unwrap_or(u32::MAX),
            undo_until: Some(kit::time::to_proto(undo_until(at))),
        }))
    }

    async fn restore_message(
        &self,
        request: Request<RestoreMessageRequest>,
    ) -> Result<Response<RestoreMessageResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let (chat, message) = addressed(&request.chat_id, &request.message_id)?;
        let path = self.restore(user.id, chat, message).await?;
        self.changed(user.id, chat);
        Ok(Response::new(RestoreMessageResponse { messages: told(path) }))
    }

    async fn fork_chat(
        &self,
        request: Request<ForkChatRequest>,
    ) -> Result<Response<ForkChatResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let request = request.into_inner();
        let (chat, message) = addressed(&request.chat_id, &request.message_id)?;
        let held = match begin(&self.db, user.id, "fork", key, &request).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let answer = |fork: &Fork| forked(fork).encode_to_vec();
        let fork = self.fork(user.id, chat, message, answer, held.as_ref()).await;
        let fork = settle(&self.db, held, fork).await?;
        Ok(Response::new(forked(&fork)))
    }

    async fn get_tree(&self, request: Request<GetTreeRequest>) -> Result<Response<GetTreeResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let id = ids::find("chat_not_found", &request.chat_id)?;
        let chat = chats::store::find(&self.db, user.id, id).await?.ok_or(Error::ChatNotFound)?;
        let after = if request.after.is_empty() {
            None
        } else {
            let id = ids::find("message_not_found", &request.after)?;
            let node = store::live(&self.db, chat.id, id).await?.ok_or(Error::MessageNotFound)?;
            Some((node.depth, node.id))
        };
        let mut nodes = store::nodes(&self.db, chat.id, after, NODES_MAX + 1).await?;
        let most = usize::try_from(NODES_MAX).unwrap_or(usize::MAX);
        let has_more = nodes.len() > most;
        nodes.truncate(most);
        Ok(Response::new(GetTreeResponse {
            nodes: nodes.into_iter().map(Into::into).collect(),
            leaf_id: chat.leaf_id.map_or_else(String::new, |id| id.to_string()),
            has_more,
        }))
    }

    async fn undo_clear(
        &self,
        request: Request<UndoClearRequest>,
    ) -> Result<Response<UndoClearResponse>, Status> {
        let user = caller::user(&request)?;
        let chat = ids::find("chat_not_found", &request.into_inner().chat_id)?;
        let path = App::undo_clear(self, user.id, chat).await?;
        self.changed(user.id, chat);
        Ok(Response::new(UndoClearResponse { messages: told(path) }))
    }
}

fn addressed(chat: &str, message: &str) -> Result<(Uuid, Uuid), Status> {
    Ok((ids::find("chat_not_found", chat)?, ids::find("message_not_found", message)?))
}

fn told(path: Vec<Message>) -> Vec<proto::chat::v1::Message> {
    path.into_iter().map(Into::into).collect()
}

fn forked(fork: &Fork) -> ForkChatResponse {
    ForkChatResponse {
        chat_id: fork.chat.to_string(),
        character_id: fork.character.to_string(),
        title: fork.title.clone(),
    }
}

/// Until when something that went at `at` can be brought back.
pub fn undo_until(at: OffsetDateTime) -> OffsetDateTime {
    at + Duration::from_secs_f64(UNDO_FOR_S)
}

impl From<store::Node> for TreeNode {
    fn from(node: store::Node) -> Self {
        let sender = if node.sender == "user" { Sender::User } else { Sender::Character };
        Self {
            id: node.id.to_string(),
            parent_id: node.parent_id.map_or_else(String::new, |id| id.to_string()),
            sender: sender.into(),
            preview: node.preview,
            state: chats::state(&node.state).into(),
            created_at: Some(kit::time::to_proto(node.created_at)),
            variants: u32::try_from(node.variants).unwrap_or(1).max(1),
            depth: node.depth.unsigned_abs(),
            edited: node.edited,
        }
    }
}
