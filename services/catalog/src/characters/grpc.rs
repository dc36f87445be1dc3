use kit::{
    caller,
    caller::User,
    error::Failure,
    idempotency::{self, Begun},
    time::to_proto,
};
use prost::Message as _;
use proto::{
    catalog::v1::{
        Character, CreateCharacterRequest, CreateCharacterResponse, DeleteCharacterRequest,
        DeleteCharacterResponse, DeletedCharacter, GetCardsRequest, GetCardsResponse, GetCharacterRequest,
        GetCharacterResponse, ListDeletedCharactersRequest, ListDeletedCharactersResponse,
        OpenCharacterRequest, OpenCharacterResponse, Reaction, RestoreCharacterRequest,
        RestoreCharacterResponse, UpdateCharacterRequest, UpdateCharacterResponse,
        characters_server::Characters, create_character_request::Portrait,
        update_character_request::Portrait as NewPortrait,
    },
    media::v1::{CreatePortraitRequest, ImageOptions},
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{Draft, deletion, gate::Gate, store};
use crate::{
    App,
    error::{Error, Result},
    events, limits, reviews, viewers,
};

/// Asked for when there is neither an image nor generate mode (specification, section 5).
const NO_IMAGE: &str = "Please upload an image or select generate mode for the character's image!";
const NO_CHARACTER: &str = "character_not_found";

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

    async fn get_character(
        &self,
        request: Request<GetCharacterRequest>,
    ) -> Result<Response<GetCharacterResponse>, Status> {
        let caller = caller::maybe(&request).map(|u| u.id);
        let id = kit::ids::find(NO_CHARACTER, &request.into_inner().id)?;
        let gate = viewers::gate(&self.db, caller).await?;
        let character = self.show(gate, id).await?;
        let (kind, is_following) = match caller {
            Some(user) => store::relation(&self.db, id, user).await?,
            None => (None, false),
        };
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
        let rows = store::find(&self.db, &[id]).await?;
        let open = rows.first().and_then(|row| gate.open(row)).ok_or(Error::CharacterNotFound)?;
        Ok(Response::new(open))
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
        let rows = store::find(&self.db, &ids).await?;
        let gate = Gate::of(user.id);
        let told = |row: &store::Row| {
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
        let rows = store::find(&self.db, &ids).await?;
        Ok(Response::new(GetCardsResponse { cards: rows.iter().filter_map(|row| gate.card(row)).collect() }))
    }
}

impl App {
    async fn create(
        &self,
        user: &User,
        ask: CreateCharacterRequest,
        held: Option<&idempotency::Held>,
    ) -> Result<CreateCharacterResponse> {
        self.must_pay(user.id).await?;
        let mut draft = ask.draft.unwrap_or_default();
        let generate = match &ask.portrait {
            Some(Portrait::Generate(options)) => Some(options.clone()),
            _ => None,
        };
        if let Some(options) = &generate {
            draft.age = Some(generated_age(options)?);
        }
        let draft = Draft::new(draft)?;
        let image = match ask.portrait {
            Some(Portrait::ImageAsset(asset)) if !asset.is_empty() => asset,
            Some(Portrait::Generate(_)) => String::new(),
            _ => return Err(Failure::invalid("image", NO_IMAGE).into()),
        };
        let id = Uuid::now_v7();
        // First, because it may be refused: then nothing was created.
        if let Some(options) = &generate {
            self.ask_portrait(id, options.clone(), &draft, 1).await?;
        }

        let mut tx = self.db.begin().await?;
        store::know_creator(&mut *tx, user.id, &user.name).await?;
        store::know_tags(&mut *tx, &draft.tags).await?;
        store::add(&mut *tx, id, user.id, &draft, &image, generate.is_some()).await?;
        store::relist(&mut tx, id, true).await?;
        events::character_changed(&mut tx, id).await?;
        let row = store::find(&mut *tx, &[id]).await?.pop().ok_or(Error::CharacterNotFound)?;
        let gate = Gate::of(user.id);
        let answer = CreateCharacterResponse { character: gate.full(&row, Vec::new()) };
        if let Some(held) = held {
            held.finish(&mut *tx, &answer.encode_to_vec()).await?;
        }
        tx.commit().await?;
        Ok(answer)
    }

    /// # Errors
    /// `UpgradeRequired`, once billing's event has had the time to arrive: the BFF asks billing itself, so
    /// whoever comes here has usually just paid.
    async fn must_pay(&self, user: Uuid) -> Result<()> {
        let patience = tokio::time::Instant::now() + limits::PAYMENT_PATIENCE;
        while !store::may_create(&self.db, user).await? {
            if tokio::time::Instant::now() > patience {
                return Err(Error::UpgradeRequired);
            }
            tokio::time::sleep(limits::PAYMENT_LOOK).await;
        }
        Ok(())
    }

    async fn change(&self, user: &User, ask: UpdateCharacterRequest) -> Result<Character> {
        let id = kit::ids::find(NO_CHARACTER, &ask.id)?;
        let next = store::next_portrait(&self.db, id, user.id).await?.ok_or(Error::CharacterNotFound)?;
        let mut draft = ask.draft.unwrap_or_default();
        if let Some(NewPortrait::Generate(options)) = &ask.portrait {
            draft.age = Some(generated_age(options)?);
        }
        let draft = Draft::new(draft)?;
        let (image, pending) = match ask.portrait {
            Some(NewPortrait::Generate(options)) => {
                self.ask_portrait(id, options, &draft, next).await?;
                (String::new(), Some(next))
            }
            Some(NewPortrait::ImageAsset(asset)) => (asset, None),
            None => (String::new(), None),
        };
        let mut tx = self.db.begin().await?;
        store::know_tags(&mut *tx, &draft.tags).await?;
        if !store::update(&mut *tx, id, user.id, &draft, &image, pending).await? {
            return Err(Error::CharacterNotFound);
        }
        store::relist(&mut tx, id, true).await?;
        events::character_changed(&mut tx, id).await?;
        tx.commit().await?;
        self.show(Gate::of(user.id), id).await
    }

    /// Queues a portrait; media charges, refuses and repeats as for any image.
    async fn ask_portrait(&self, id: Uuid, options: ImageOptions, draft: &Draft, version: i64) -> Result<()> {
        let request = CreatePortraitRequest {
            character_id: id.to_string(),
            options: Some(options),
            tags: draft.tags.clone(),
            private: draft.nsfw || !draft.public,
            version,
        };
        self.images.clone().create_portrait(request).await.map_err(Error::Upstream)?;
        Ok(())
    }

    async fn show(&self, gate: Gate, id: Uuid) -> Result<Character> {
        let rows = store::find(&self.db, &[id]).await?;
        let reviews =
            reviews::store::newest(&self.db, id, &gate.blocks.creators, limits::NEWEST_REVIEWS, 0).await?;
        let reviews = reviews.into_iter().map(Into::into).collect();
        rows.first().and_then(|row| gate.full(row, reviews)).ok_or(Error::CharacterNotFound)
    }
}

/// With generate mode the age is that of the generation (readings, Forms).
fn generated_age(options: &ImageOptions) -> Result<u32> {
    match options.age.as_str() {
        "18" => Ok(18),
        "20s" => Ok(20),
        "30s" => Ok(30),
        "40s" => Ok(40),
        "50s" => Ok(50),
        _ => Err(Failure::invalid("imageGeneration[age]", "Choose one of 18, 20s, 30s, 40s, 50s.").into()),
    }
}
