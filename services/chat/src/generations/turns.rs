use futures::{StreamExt as _, stream::BoxStream};
use kit::{caller, error::Failure, ids};
use proto::chat::v1::{
    EditAndReplyRequest, EditAndReplyResponse, RegenerateRequest, RegenerateResponse, SendRequest,
    edit_and_reply_request, regenerate_request,
    send_request::{Persona, Turn},
    turns_server::Turns,
};
use tonic::{Request, Response, Status};
use tracing::Instrument as _;

use super::{
    feed::{self, Wish},
    stand::Stand,
};
use crate::{App, error::Result};

#[tonic::async_trait]
impl Turns for App {
    type RegenerateStream = BoxStream<'static, Result<RegenerateResponse, Status>>;
    type EditAndReplyStream = BoxStream<'static, Result<EditAndReplyResponse, Status>>;

    async fn regenerate(
        &self,
        request: Request<RegenerateRequest>,
    ) -> Result<Response<Self::RegenerateStream>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let request = request.into_inner();
        let stand = Stand::Beside(ids::find("message_not_found", &request.message_id)?);
        let persona = request.persona.map(|persona| match persona {
            regenerate_request::Persona::PersonaId(id) => Persona::PersonaId(id),
            regenerate_request::Persona::InlinePersona(persona) => Persona::InlinePersona(persona),
        });
        let turn = SendRequest {
            chat_id: request.chat_id,
            turn: Some(Turn::Continue(true)),
            persona,
            country: request.country,
            parent_id: None,
        };
        let wish = self.turn(user, key, turn, stand).await?;
        let events = feed::feed(self, wish).map(|event| Ok(RegenerateResponse { event: Some(event) }));
        Ok(Response::new(events.boxed()))
    }

    async fn edit_and_reply(
        &self,
        request: Request<EditAndReplyRequest>,
    ) -> Result<Response<Self::EditAndReplyStream>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let request = request.into_inner();
        let stand = Stand::Instead(ids::find("message_not_found", &request.message_id)?);
        let persona = request.persona.map(|persona| match persona {
            edit_and_reply_request::Persona::PersonaId(id) => Persona::PersonaId(id),
            edit_and_reply_request::Persona::InlinePersona(persona) => Persona::InlinePersona(persona),
        });
        let turn = SendRequest {
            chat_id: request.chat_id,
            turn: Some(Turn::Content(request.content)),
            persona,
            country: request.country,
            parent_id: None,
        };
        let wish = self.turn(user, key, turn, stand).await?;
        let events = feed::feed(self, wish).map(|event| Ok(EditAndReplyResponse { event: Some(event) }));
        Ok(Response::new(events.boxed()))
    }
}

impl App {
    /// On its own: a caller who leaves in the middle must not leave half a turn behind.
    pub(super) async fn turn(
        &self,
        user: caller::User,
        key: Option<String>,
        request: SendRequest,
        stand: Stand,
    ) -> Result<Wish, Status> {
        let app = self.clone();
        // In a box at once: it is large, and would be copied at each step on its way to its task.
        let turn = Box::pin(async move { app.send_turn(user, key, request, stand).await });
        let wish = tokio::spawn(caller::scope(caller::current(), turn).in_current_span()).await.map_err(
            |error| {
                tracing::error!(%error, "a turn broke off");
                Status::from(Failure::internal())
            },
        )??;
        Ok(wish)
    }
}
