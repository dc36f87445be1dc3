use kit::{
    caller,
    error::Failure,
    idempotency::{self, Begun},
    time::to_proto,
};
use proto::catalog::v1::{
    CreateCharacterRequest, CreateCharacterResponse, DeleteCharacterRequest, DeleteCharacterResponse,
    DeletedCharacter, GetCardsRequest, GetCardsResponse, GetCharacterRequest, GetCharacterResponse,
    ListDeletedCharactersRequest, ListDeletedCharactersResponse, OpenCharacterRequest, OpenCharacterResponse,
    Reaction, RestoreCharacterRequest, RestoreCharacterResponse, SetPortraitRequest, SetPortraitResponse,
    UpdateCharacterRequest, UpdateCharacterResponse, characters_server::Characters,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{deletion, gate::Gate, rows, store};
use crate::{
    App,
    error::{Error, Result},
    limits, viewers,
};

pub(super) const NO_CHARACTER: &str = "character_not_found";

#[tonic::async_trait]
impl Characters for App {
    async fn create_character(
        &self,
        request: Request<CreateCharacterRequest>,
    ) -> Result<Response<CreateCharacterResponse>, Status> {
        let user = caller::user(&request)?;
        let key = caller::idempotency_key(&request)?;
        let ask = request.into_inner();
        let held = match idempotency::begin(&self.db, user.id, "create_character", key, &ask).await? {
            Begun::Answered(answer) => return Ok(Response::new(answer)),
            Begun::Do(held) => held,
        };
        let made = self.create(&user, ask, held.as_ref()).await;
        Ok(Response::new(idempotency::settle(&self.db, held, made).await?))
    }

    async fn update_character(
        &self,
        request: Request<UpdateCharacterRequest>,
    ) -> Result<Response<UpdateCharacterResponse>, Status> {
        let user = caller::user(&request)?;
        let character = self.change(&user, request.into_inner()).await?;
        Ok(Response::new(UpdateCharacterResponse { character: Some(character) }))
    }

    async fn set_portrait(
        &self,
        request: Request<SetPortraitRequest>,
    ) -> Result<Response<SetPortraitResponse>, Status> {
        let user = caller::user(&request)?;
        let character = self.set_portrait_of(&user, request.into_inner()).await?;
        Ok(Response::new(SetPortraitResponse { character: Some(character) }))
    }

    async fn get_character(
        &self,
        request: Request<GetCharacterRequest>,
    ) -> Result<Response<GetCharacterResponse>, Status> {
        let caller = caller::maybe(&request).map(|u| u.id);
        let id = kit::ids::find(NO_CHARACTER, &request.into_inner().id)?;
        let relation = async {
            match caller {
                Some(user) => store::relation(&self.db, id, user).await,
                None => Ok((None, false)),
            }
        };
        let (gate, (kind, is_following)) = tokio::try_join!(viewers::gate(&self.db, caller), relation)?;
        let character = self.show(gate, id).await?;
        let user_reaction = match kind.as_deref() {
            Some("like") => Reaction::Like,
            Some("dislike") => Reaction::Dislike,
            _ => Reaction::Unspecified,
        };
        Ok(Response::new(GetCharacterResponse {
            character: Some(character),
            user_reaction: user_reaction.into(),
            is_following,
        }))
    }

    async fn open_character(
        &self,
        request: Request<OpenCharacterRequest>,
    ) -> Result<Response<OpenCharacterResponse>, Status> {
        let user = caller::user(&request)?;
        let id = kit::ids::find(NO_CHARACTER, &request.into_inner().id)?;
        let gate = viewers::gate(&self.db, Some(user.id)).await?;
        let whole = rows::whole(&self.db, id, 0).await?;
        Ok(Response::new(whole.and_then(|whole| gate.open(whole)).ok_or(Error::CharacterNotFound)?))
    }

    async fn delete_character(
        &self,
        request: Request<DeleteCharacterRequest>,
    ) -> Result<Response<DeleteCharacterResponse>, Status> {
        let user = caller::user(&request)?;
        let id = kit::ids::find(NO_CHARACTER, &request.into_inner().id)?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        let at = deletion::delete(&mut tx, id, user.id).await?.ok_or(Error::CharacterNotFound)?;
        tx.commit().await.map_err(Error::from)?;
        let erased_at = Some(to_proto(at + limits::CHANGE_OF_MIND));
        Ok(Response::new(DeleteCharacterResponse { erased_at }))
    }

    async fn restore_character(
        &self,
        request: Request<RestoreCharacterRequest>,
    ) -> Result<Response<RestoreCharacterResponse>, Status> {
        let user = caller::user(&request)?;
        let id = kit::ids::find(NO_CHARACTER, &request.into_inner().id)?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        if !deletion::restore(&mut tx, id, user.id).await? {
            return Err(Error::CharacterNotFound.into());
        }
        tx.commit().await.map_err(Error::from)?;
        let character = self.show(Gate::of(user.id), id).await?;
        Ok(Response::new(RestoreCharacterResponse { character: Some(character) }))
    }

    async fn list_deleted_characters(
        &self,
        request: Request<ListDeletedCharactersRequest>,
    ) -> Result<Response<ListDeletedCharactersResponse>, Status> {
        let user = caller::user(&request)?;
        let ids = deletion::deleted(&self.db, user.id).await?;
        let rows = rows::find(&self.db, &ids).await?;
        let gate = Gate::of(user.id);
        let told = |row: &rows::Row| {
            let erased_at = row.erased_at().map(to_proto);
            Some(DeletedCharacter { card: Some(gate.deleted(row)?), erased_at })
        };
        Ok(Response::new(ListDeletedCharactersResponse {
            characters: rows.iter().filter_map(told).collect(),
        }))
    }

    async fn get_cards(
        &self,
        request: Request<GetCardsRequest>,
    ) -> Result<Response<GetCardsResponse>, Status> {
        let caller = caller::maybe(&request).map(|u| u.id);
        let ids = request.into_inner().ids;
        if ids.len() > limits::CARDS_MAX {
            return Err(Failure::invalid("ids", format!("At most {} at once.", limits::CARDS_MAX)).into());
        }
        let ids: Vec<Uuid> = ids.iter().filter_map(|id| Uuid::try_parse(id).ok()).collect();
        let gate = viewers::gate(&self.db, caller).await?;
        let rows = rows::find(&self.db, &ids).await?;
        Ok(Response::new(GetCardsResponse { cards: rows.iter().filter_map(|row| gate.card(row)).collect() }))
    }
}
