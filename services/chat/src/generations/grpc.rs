use futures::{StreamExt as _, stream::BoxStream};
use kit::{caller, error::Failure, ids};
use proto::chat::v1::{
    GetEngineRequest, GetEngineResponse, SendRequest, SendResponse, StopRequest, StopResponse, WatchRequest,
    WatchResponse, generations_server::Generations,
};
use tokio::time::Instant;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{
    feed::{self, Wish},
    live::Outcome,
    stand::Stand,
    store,
};
use crate::{
    App,
    chats::{self, Message},
    error::{Error, Result},
    limits::{FOLLOW_EVERY, STOP_PATIENCE},
};

#[tonic::async_trait]
impl Generations for App {
    type SendStream = BoxStream<'static, Result<SendResponse, Status>>;
    type WatchStream = BoxStream<'static, Result<WatchResponse, Status>>;

    async fn send(&self, request: Request<SendRequest>) -> Result<Response<Self::SendStream>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let request = request.into_inner();
        let stand = match &request.parent_id {
            Some(id) => Stand::Below(ids::find("message_not_found", id)?),
            None => Stand::AtLeaf,
        };
        let wish = self.turn(user, key, request, stand).await?;
        let events = feed::feed(self, wish).map(|event| Ok(SendResponse { event: Some(event) }));
        Ok(Response::new(events.boxed()))
    }

    async fn watch(&self, request: Request<WatchRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let row = self.own(user.id, &request.chat_id, &request.generation_id).await?;
        let ai_message = chats::store::message(&self.db, row.message_id).await?;
        let from = usize::try_from(request.from_offset).unwrap_or(usize::MAX);
        let wish = Wish { generation: row.id, message: row.message_id, from, user_message: None, ai_message };
        let events = feed::feed(self, wish).map(|event| Ok(WatchResponse { event: Some(event) }));
        Ok(Response::new(events.boxed()))
    }

    async fn stop(&self, request: Request<StopRequest>) -> Result<Response<StopResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let row = self.own(user.id, &request.chat_id, &request.generation_id).await?;
        let message = App::stop(self, row.id).await?;
        Ok(Response::new(StopResponse { ai_message: message.map(Into::into) }))
    }

    async fn get_engine(&self, _: Request<GetEngineRequest>) -> Result<Response<GetEngineResponse>, Status> {
        let (name, offline) = (self.engine.name().to_owned(), self.engine.offline());
        Ok(Response::new(GetEngineResponse { name, offline }))
    }
}

impl App {
    async fn own(&self, user: Uuid, chat: &str, generation: &str) -> Result<store::Row> {
        let chat = ids::find("chat_not_found", chat)?;
        let generation = ids::find("generation_not_found", generation)?;
        chats::store::find(&self.db, user, chat).await?.ok_or(Error::ChatNotFound)?;
        let row = store::find(&self.db, generation).await?;
        row.filter(|row| row.chat_id == chat).ok_or(Error::GenerationNotFound)
    }

    /// Ends a generation wherever it runs, and answers its message as it was saved.
    pub(crate) async fn stop(&self, generation: Uuid) -> Result<Option<Message>> {
        if let Some(live) = self.live.get(generation) {
            live.stop.cancel();
            let mut changes = live.changes();
            let ended = async {
                loop {
                    if let (_, Some(outcome)) = live.after(usize::MAX) {
                        return outcome;
                    }
                    if changes.changed().await.is_err() {
                        return Outcome::Lost;
                    }
                }
            };
            if let Ok(Outcome::Ended(message)) = tokio::time::timeout(STOP_PATIENCE, ended).await {
                return Ok(Some(*message));
            }
        } else {
            store::ask_stop(&self.db, generation).await?;
        }
        let by = Instant::now() + STOP_PATIENCE;
        loop {
            let row = store::find(&self.db, generation).await?.ok_or(Error::GenerationNotFound)?;
            if row.state != "running" {
                return chats::store::message(&self.db, row.message_id).await;
            }
            if Instant::now() > by {
                return Err(Failure::unavailable("the process that writes the reply").into());
            }
            tokio::time::sleep(FOLLOW_EVERY).await;
        }
    }
}
