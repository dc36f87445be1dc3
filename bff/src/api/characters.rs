//! Characters: shown, made, changed.

use axum::{
    Json,
    extract::{Request, State as Shared},
};
use proto::{
    auth::v1::GetFollowStateRequest,
    billing::v1::GetEntitlementRequest,
    catalog::v1::{
        self as pb, CharacterDraft, ContentState, CreateCharacterRequest, DeleteCharacterRequest,
        GetCharacterRequest, ListDeletedCharactersRequest, RestoreCharacterRequest, UpdateCharacterRequest,
        create_character_request, update_character_request,
    },
    media::v1::{CreateUploadRequest, UploadPurpose},
};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{
    Said,
    character_form::{Asked, CharacterForm, as_in_the_form, understand},
    or_null,
    reactions::{ReactionType, standing},
    reviews::Review,
    when,
};
use crate::{
    State,
    errors::{Answer, Problem},
    extract::{Segment, Viewer},
    form::{self, Form},
    media::{self, Signatures},
};

/// Said when a new character has no picture and none is to be drawn.
const NEEDS_PICTURE: &str = "Please upload an image or select generate mode for the character's image!";

#[derive(Debug, Serialize, ToSchema)]
pub struct Creator {
    #[serde(rename = "_id")]
    id: String,
    username: String,
    #[schema(required)]
    pfp: Option<String>,
}

impl From<pb::Creator> for Creator {
    fn from(creator: pb::Creator) -> Self {
        Self { id: creator.id, username: creator.username, pfp: media::avatar(&creator.avatar_asset) }
    }
}

/// A character as lists show it. A locked one (NSFW, and not opened to this reader) has no text and no
/// picture.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CharacterCard {
    #[serde(rename = "_id")]
    id: String,
    name: String,
    /// Years.
    #[schema(required)]
    age: Option<u32>,
    tags: Vec<String>,
    creator: Creator,
    description: String,
    /// 480 px wide; `/full.webp` and `/thumb.webp` (240 px) are beside it under the same signature.
    #[schema(required)]
    image_url: Option<String>,
    nsfw: bool,
    public: bool,
    deluxe: bool,
    is_ai_buddy: bool,
    likes: u64,
    dislikes: u64,
    messages: u64,
    chats: u64,
    follows: u64,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    locked: bool,
    /// Made by the house to fill the stage.
    sample: bool,
    /// Name of the coloured light the portrait stands in.
    #[schema(required)]
    gel: Option<String>,
    /// Why others do not see it yet, for its owner; null when nothing holds it.
    #[schema(required)]
    held_because: Option<String>,
}

impl CharacterCard {
    #[must_use]
    pub fn new(card: pb::CharacterCard, signed: &Signatures) -> Self {
        let image_url = signed.image(&card);
        let counts = card.counts.unwrap_or_default();
        Self {
            created_at: when(card.created_at.as_ref()),
            updated_at: when(card.updated_at.as_ref()),
            id: card.id,
            name: card.name,
            age: card.age,
            tags: card.tags,
            creator: card.creator.unwrap_or_default().into(),
            description: if card.locked { String::new() } else { card.description },
            image_url,
            nsfw: card.nsfw,
            public: card.public,
            deluxe: card.deluxe,
            is_ai_buddy: card.is_ai_buddy,
            likes: counts.likes,
            dislikes: counts.dislikes,
            messages: counts.messages,
            chats: counts.chats,
            follows: counts.follows,
            locked: card.locked,
            sample: card.sample,
            gel: or_null(card.gel),
            held_because: or_null(card.held_because),
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CharacterState {
    Live,
    Pending,
    Limited,
    Quarantined,
    Removed,
}

impl From<ContentState> for CharacterState {
    fn from(state: ContentState) -> Self {
        match state {
            ContentState::Removed => Self::Removed,
            ContentState::Pending => Self::Pending,
            ContentState::Limited => Self::Limited,
            ContentState::Quarantined => Self::Quarantined,
            ContentState::Live | ContentState::Unspecified => Self::Live,
        }
    }
}

/// A whole character. What makes it speak is empty for others than its owner.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Character {
    #[serde(flatten)]
    card: CharacterCard,
    personality: String,
    first_message: String,
    scenario: String,
    example_conversation: String,
    /// Joined by commas.
    kinks: String,
    outfit: String,
    prompt: String,
    /// Further greetings, whole.
    alternate_greetings: Vec<String>,
    /// The lorebook (`character_book` of the card's specification); null when there is none.
    #[schema(required, value_type = Option<std::collections::HashMap<String, serde_json::Value>>)]
    character_book: Option<serde_json::Value>,
    system_prompt: String,
    post_history_instructions: String,
    creator_notes: String,
    character_version: String,
    nickname: String,
    /// Equals `reviewsCount`.
    comments: u64,
    /// Equals `follows`.
    follow_count: u64,
    reviews_count: u64,
    /// Null when there is no review.
    #[schema(required)]
    average_rating: Option<f64>,
    /// The newest 20.
    reviews: Vec<Review>,
    state: CharacterState,
    /// A portrait was asked for and has not arrived.
    portrait_pending: bool,
    /// Whether others may export the card, and read what makes it speak.
    exportable: bool,
}

impl Character {
    pub async fn new(app: &State, character: pb::Character) -> Answer<Self> {
        let state = character.state().into();
        let card = character.card.ok_or_else(|| Problem::of("character_not_found"))?;
        let signed = Signatures::of(app, [&card]).await;
        let counts = card.counts.unwrap_or_default();
        let extras = character.extras.unwrap_or_default();
        Ok(Self {
            card: CharacterCard::new(card, &signed),
            personality: character.personality,
            first_message: character.first_message,
            scenario: character.scenario,
            example_conversation: character.example_conversation,
            kinks: character.kinks.join(", "),
            outfit: character.outfit,
            prompt: character.prompt,
            alternate_greetings: extras.alternate_greetings,
            character_book: serde_json::from_str(&extras.character_book).ok(),
            system_prompt: extras.system_prompt,
            post_history_instructions: extras.post_history_instructions,
            creator_notes: extras.creator_notes,
            character_version: extras.character_version,
            nickname: extras.nickname,
            comments: counts.reviews,
            follow_count: counts.follows,
            reviews_count: counts.reviews,
            average_rating: character.average_rating,
            reviews: character.reviews.into_iter().map(Into::into).collect(),
            state,
            portrait_pending: character.portrait_pending,
            exportable: character.exportable,
        })
    }
}

/// A character, and how the reader stands to it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CharacterPage {
    success: bool,
    character: Character,
    #[schema(required)]
    user_reaction: Option<ReactionType>,
    is_following: bool,
    is_following_creator: bool,
}

impl CharacterPage {
    /// As a visitor has it.
    pub(crate) async fn of_visitors(app: &State, character: pb::Character) -> Answer<Self> {
        Ok(Self {
            success: true,
            character: Character::new(app, character).await?,
            user_reaction: None,
            is_following: false,
            is_following_creator: false,
        })
    }
}

/// A character.
#[utoipa::path(get, path = "/character/{id}", tag = "characters", params(("id" = String, Path)), responses((status = 200, body = CharacterPage)))]
pub async fn show(
    Shared(app): Shared<State>,
    Viewer(viewer): Viewer,
    Segment(id): Segment<String>,
) -> Answer<Json<CharacterPage>> {
    let found = app.clients.characters().get_character(GetCharacterRequest { id }).await?.into_inner();
    let user_reaction = standing(found.user_reaction());
    let character = found.character.ok_or_else(|| Problem::of("character_not_found"))?;
    let creator = character.card.as_ref().and_then(|c| c.creator.as_ref()).map(|c| c.id.clone());
    let follows_creator = async {
        let (Some(_), Some(user_id)) = (&viewer, creator) else { return false };
        match app.clients.profiles().get_follow_state(GetFollowStateRequest { user_id }).await {
            Ok(state) => state.into_inner().is_following,
            Err(status) => {
                tracing::debug!(code = ?status.code(), "follow state left out");
                false
            }
        }
    };
    let (character, is_following_creator) = tokio::join!(Character::new(&app, character), follows_creator);
    Ok(Json(CharacterPage {
        success: true,
        character: character?,
        user_reaction,
        is_following: found.is_following,
        is_following_creator,
    }))
}

/// Creating, and drawing anew, belong to the paid plans. Asked before anything is uploaded.
pub(super) async fn entitled(app: &State) -> Answer<()> {
    let answer = app.clients.subscriptions().get_entitlement(GetEntitlementRequest {}).await?.into_inner();
    if answer.entitlement.is_some_and(|e| e.can_create) {
        Ok(())
    } else {
        Err(Problem::of("upgrade_required"))
    }
}

/// Stores the picture of the form, if there is one, and names its asset.
async fn upload(app: &State, form: &Form, draft: &CharacterDraft) -> Answer<Option<String>> {
    let Some(picture) = form.picture() else { return Ok(None) };
    let request = CreateUploadRequest {
        data: picture.to_vec(),
        purpose: UploadPurpose::Portrait.into(),
        private: draft.nsfw || !draft.public,
    };
    Ok(Some(app.clients.uploads().create_upload(request).await?.into_inner().asset))
}

/// A character that was made or changed.
#[derive(Serialize, ToSchema)]
pub struct CharacterSaved {
    success: bool,
    #[serde(flatten)]
    said: Said,
    character: Character,
}

async fn saved(app: &State, text: &str, character: pb::Character) -> Answer<Json<CharacterSaved>> {
    let character = Character::new(app, character).await?;
    Ok(Json(CharacterSaved { success: true, said: Said::new(text), character }))
}

/// Makes a character.
#[utoipa::path(post, path = "/create", tag = "characters", request_body(content = CharacterForm, content_type = "multipart/form-data"), params(("Idempotency-Key" = Option<String>, Header)), responses((status = 200, body = CharacterSaved)))]
pub async fn create(Shared(app): Shared<State>, request: Request) -> Answer<Json<CharacterSaved>> {
    entitled(&app).await?;
    let form = form::read(request, &app, &["image"]).await?;
    let Asked { draft, options } = understand(&form)?;
    let portrait = match options {
        Some(options) => create_character_request::Portrait::Generate(options.into()),
        None => match upload(&app, &form, &draft).await? {
            Some(asset) => create_character_request::Portrait::ImageAsset(asset),
            None => return Err(Problem::field("image", NEEDS_PICTURE)),
        },
    };
    let request = CreateCharacterRequest { draft: Some(draft), portrait: Some(portrait) };
    let made = app.clients.characters().create_character(request).await.map_err(as_in_the_form)?;
    let made = made.into_inner().character;
    let made = made.ok_or_else(|| Problem::of("internal"))?;
    saved(&app, "Character created successfully!", made).await
}

/// Changes one's own character.
#[utoipa::path(put, path = "/characters/{id}", tag = "characters", params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)), request_body(content = CharacterForm, content_type = "multipart/form-data"), responses((status = 200, body = CharacterSaved)))]
pub async fn update(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
    request: Request,
) -> Answer<Json<CharacterSaved>> {
    let form = form::read(request, &app, &["image"]).await?;
    let Asked { draft, options } = understand(&form)?;
    let portrait = match options {
        Some(options) => {
            entitled(&app).await?;
            Some(update_character_request::Portrait::Generate(options.into()))
        }
        None => upload(&app, &form, &draft).await?.map(update_character_request::Portrait::ImageAsset),
    };
    let request = UpdateCharacterRequest { id, draft: Some(draft), portrait };
    let changed = app.clients.characters().update_character(request).await.map_err(as_in_the_form)?;
    let changed = changed.into_inner().character;
    let changed = changed.ok_or_else(|| Problem::of("internal"))?;
    saved(&app, "Character updated successfully!", changed).await
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CharacterDeleted {
    success: bool,
    #[serde(flatten)]
    said: Said,
    /// Until then it can be brought back.
    #[serde(with = "time::serde::rfc3339")]
    erased_at: OffsetDateTime,
}

/// Takes one's own character off the stage; for 30 days it can be brought back.
#[utoipa::path(delete, path = "/characters/{id}", tag = "characters", params(("id" = String, Path)), responses((status = 200, body = CharacterDeleted)))]
pub async fn delete(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
) -> Answer<Json<CharacterDeleted>> {
    let gone = app.clients.characters().delete_character(DeleteCharacterRequest { id }).await?.into_inner();
    Ok(Json(CharacterDeleted {
        success: true,
        said: Said::new("Character deleted. You can bring it back for 30 days."),
        erased_at: when(gone.erased_at.as_ref()),
    }))
}

/// Brings one's own deleted character back.
#[utoipa::path(post, path = "/characters/{id}/restore", tag = "characters", params(("id" = String, Path)), responses((status = 200, body = CharacterSaved)))]
pub async fn restore(
    Shared(app): Shared<State>,
    Segment(id): Segment<String>,
) -> Answer<Json<CharacterSaved>> {
    let back = app.clients.characters().restore_character(RestoreCharacterRequest { id }).await?.into_inner();
    let back = back.character.ok_or_else(|| Problem::of("internal"))?;
    saved(&app, "Your character is back.", back).await
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeletedCharacter {
    character: CharacterCard,
    #[serde(with = "time::serde::rfc3339")]
    erased_at: OffsetDateTime,
}

#[derive(Serialize, ToSchema)]
pub struct DeletedCharacters {
    success: bool,
    characters: Vec<DeletedCharacter>,
}

/// One's own deleted characters, the newest deletion first.
#[utoipa::path(get, path = "/characters/deleted", tag = "characters", responses((status = 200, body = DeletedCharacters)))]
pub async fn deleted(Shared(app): Shared<State>) -> Answer<Json<DeletedCharacters>> {
    let request = ListDeletedCharactersRequest {};
    let found = app.clients.characters().list_deleted_characters(request).await?.into_inner().characters;
    let signed = Signatures::of(&app, found.iter().filter_map(|d| d.card.as_ref())).await;
    let characters = found.into_iter().filter_map(|d| {
        let erased_at = when(d.erased_at.as_ref());
        Some(DeletedCharacter { character: CharacterCard::new(d.card?, &signed), erased_at })
    });
    Ok(Json(DeletedCharacters { success: true, characters: characters.collect() }))
}
