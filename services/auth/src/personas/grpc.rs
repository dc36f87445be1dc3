use kit::caller;
use proto::auth::v1::{
    GetPersonaRequest, GetPersonaResponse, ListPersonasRequest, ListPersonasResponse, ReplacePersonasRequest,
    ReplacePersonasResponse, personas_server::Personas,
};
use tonic::{Request, Response, Status};

use super::{check, store};
use crate::{App, error::Error};

/// Hint of personas that were changed: chat believes what it was told of them for a while.
const CHANGED: &str = "personas.changed";

#[tonic::async_trait]
impl Personas for App {
    async fn list_personas(
        &self,
        request: Request<ListPersonasRequest>,
    ) -> Result<Response<ListPersonasResponse>, Status> {
        let user = caller::user(&request)?;
        let personas = store::list(&self.db, user.id).await?;
        Ok(Response::new(ListPersonasResponse { personas: personas.into_iter().map(Into::into).collect() }))
    }

    async fn replace_personas(
        &self,
        request: Request<ReplacePersonasRequest>,
    ) -> Result<Response<ReplacePersonasResponse>, Status> {
        let user = caller::user(&request)?;
        let personas = match check(request.into_inner().personas) {
            Ok(personas) => personas,
            Err(refusal) => {
                self.count(user.id, &refusal, "a persona").await?;
                return Err(refusal.into());
            }
        };
        store::replace(&self.db, user.id, &personas).await?;
        self.notices.hint(user.id, CHANGED, user.id.to_string()).await;
        Ok(Response::new(ReplacePersonasResponse {
            personas: personas.into_iter().map(Into::into).collect(),
        }))
    }

    async fn get_persona(
        &self,
        request: Request<GetPersonaRequest>,
    ) -> Result<Response<GetPersonaResponse>, Status> {
        let user = caller::user(&request)?;
        let id = request.into_inner().id;
        let persona = store::find(&self.db, user.id, id.as_deref()).await?.ok_or(Error::PersonaNotFound)?;
        Ok(Response::new(GetPersonaResponse { persona: Some(persona.into()) }))
    }
}
