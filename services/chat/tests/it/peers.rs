//! catalog, billing and auth, as far as chat asks them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use kit::error::Failure;
use proto::{
    auth::v1::{
        GetPersonaRequest, GetPersonaResponse, ListPersonasRequest, ListPersonasResponse,
        ListRevocationsRequest, ListRevocationsResponse, Persona, ReplacePersonasRequest,
        ReplacePersonasResponse,
        keys_server::{Keys, KeysServer},
        personas_server::{Personas, PersonasServer},
    },
    billing::v1::{
        CancelSubscriptionRequest, CancelSubscriptionResponse, Entitlement, GetEntitlementRequest,
        GetEntitlementResponse, GetSubscriptionRequest, GetSubscriptionResponse, Plan,
        subscriptions_server::{Subscriptions, SubscriptionsServer},
    },
    catalog::v1::{
        CardExtras, CharacterCard, CreateCharacterRequest, CreateCharacterResponse, GetCardsRequest,
        GetCardsResponse, GetCharacterRequest, GetCharacterResponse, OpenCharacterRequest,
        OpenCharacterResponse, UpdateCharacterRequest, UpdateCharacterResponse,
        characters_server::{Characters, CharactersServer},
    },
};
use proto::{billing::v1 as billing, catalog::v1 as catalog};
use tokio::sync::Notify;
use tonic::{Request, Response, Status, service::Routes};
use uuid::Uuid;

/// What the other services know, for a test to change.
#[derive(Clone, Default)]
pub struct Peers {
    pub cards: Arc<Mutex<HashMap<String, OpenCharacterResponse>>>,
    pub entitlement: Arc<Mutex<Entitlement>>,
    pub persona: Arc<Mutex<Option<Persona>>>,
    pub slow: Arc<Mutex<Option<Slow>>>,
}

/// The next answer about this character is on its way for as long as the test likes.
#[derive(Clone)]
pub struct Slow {
    pub character: Uuid,
    /// The answer is made, and not yet sent.
    pub made: Arc<Notify>,
    pub sent: Arc<Notify>,
}

impl Peers {
    /// Adds a character and answers its id.
    pub fn add_character(&self, name: &str) -> Uuid {
        let id = Uuid::now_v7();
        let card = OpenCharacterResponse {
            card: Some(CharacterCard {
                id: id.to_string(),
                name: name.into(),
                description: format!("{name} keeps the lamp room and knows every ship by its light."),
                tags: vec!["female".into()],
                public: true,
                ..Default::default()
            }),
            personality: format!("{name} is warm and exact. She counts waves when she is afraid."),
            first_message: "*{{char}} looks up from the log.* \"You came, {{user}}. Sit by the stove.\""
                .into(),
            scenario: "The lamp room at night. The wind has not let up for three days.".into(),
            example_conversation: "<START>\n{{user}}: What do you eat?\n{{char}}: \"Soup, mostly.\"".into(),
            outfit: "A cable-knit sweater.".into(),
            extras: None,
            version: 1,
        };
        self.cards.lock().expect("no holder panics").insert(id.to_string(), card);
        id
    }

    /// A character with greetings beside the first message.
    pub fn add_character_with_greetings(&self, name: &str, greetings: &[&str]) -> Uuid {
        let id = self.add_character(name);
        let mut cards = self.cards.lock().expect("no holder panics");
        let alternate_greetings = greetings.iter().map(|greeting| (*greeting).to_owned()).collect();
        cards.get_mut(&id.to_string()).expect("there").extras =
            Some(CardExtras { alternate_greetings, ..Default::default() });
        id
    }

    /// From now on everybody is on this plan.
    pub fn plan(&self, plan: Plan, messages_per_month: u32) {
        *self.entitlement.lock().expect("no holder panics") =
            Entitlement { plan: plan.into(), messages_per_month, memory_tokens: 4_096, ..Default::default() };
    }

    /// Gives the character another name.
    pub fn rename(&self, character: Uuid, name: &str) {
        let mut cards = self.cards.lock().expect("no holder panics");
        let card = cards.get_mut(&character.to_string()).and_then(|c| c.card.as_mut());
        card.expect("there").name = name.into();
    }

    /// Holds up the next answer about this character.
    pub fn hold_up(&self, character: Uuid) -> Slow {
        let slow = Slow { character, made: Arc::default(), sent: Arc::default() };
        *self.slow.lock().expect("no holder panics") = Some(slow.clone());
        slow
    }

    pub async fn serve(&self) -> (String, String, String) {
        (
            kit::testing::fake(Routes::new(CharactersServer::new(self.clone()))).await,
            kit::testing::fake(Routes::new(SubscriptionsServer::new(self.clone()))).await,
            kit::testing::fake(
                Routes::new(PersonasServer::new(self.clone())).add_service(KeysServer::new(self.clone())),
            )
            .await,
        )
    }
}

fn not_asked<T>() -> Result<Response<T>, Status> {
    Err(Status::unimplemented("chat does not ask this"))
}

#[tonic::async_trait]
impl Characters for Peers {
    async fn open_character(
        &self,
        request: Request<OpenCharacterRequest>,
    ) -> Result<Response<OpenCharacterResponse>, Status> {
        assert!(request.metadata().contains_key("authorization"), "the caller's bearer is handed on");
        let id = request.into_inner().id;
        let card = self.cards.lock().expect("no holder panics").get(&id).cloned();
        let slow = self.slow.lock().expect("no holder panics").take_if(|s| s.character.to_string() == id);
        if let Some(slow) = slow {
            slow.made.notify_one();
            slow.sent.notified().await;
        }
        card.map(Response::new).ok_or_else(|| Failure::not_found("character_not_found").into())
    }

    async fn create_character(
        &self,
        _: Request<CreateCharacterRequest>,
    ) -> Result<Response<CreateCharacterResponse>, Status> {
        not_asked()
    }

    async fn set_portrait(
        &self,
        _: Request<catalog::SetPortraitRequest>,
    ) -> Result<Response<catalog::SetPortraitResponse>, Status> {
        Err(Status::unimplemented("chat does not ask"))
    }

    async fn update_character(
        &self,
        _: Request<UpdateCharacterRequest>,
    ) -> Result<Response<UpdateCharacterResponse>, Status> {
        not_asked()
    }

    async fn get_character(
        &self,
        _: Request<GetCharacterRequest>,
    ) -> Result<Response<GetCharacterResponse>, Status> {
        not_asked()
    }

    async fn get_cards(&self, _: Request<GetCardsRequest>) -> Result<Response<GetCardsResponse>, Status> {
        not_asked()
    }

    async fn delete_character(
        &self,
        _: Request<catalog::DeleteCharacterRequest>,
    ) -> Result<Response<catalog::DeleteCharacterResponse>, Status> {
        not_asked()
    }

    async fn restore_character(
        &self,
        _: Request<catalog::RestoreCharacterRequest>,
    ) -> Result<Response<catalog::RestoreCharacterResponse>, Status> {
        not_asked()
    }

    async fn list_deleted_characters(
        &self,
        _: Request<catalog::ListDeletedCharactersRequest>,
    ) -> Result<Response<catalog::ListDeletedCharactersResponse>, Status> {
        not_asked()
    }
}

#[tonic::async_trait]
impl Subscriptions for Peers {
    async fn get_entitlement(
        &self,
        _: Request<GetEntitlementRequest>,
    ) -> Result<Response<GetEntitlementResponse>, Status> {
        let entitlement = Some(*self.entitlement.lock().expect("no holder panics"));
        Ok(Response::new(GetEntitlementResponse { entitlement }))
    }

    async fn get_subscription(
        &self,
        _: Request<GetSubscriptionRequest>,
    ) -> Result<Response<GetSubscriptionResponse>, Status> {
        not_asked()
    }

    async fn cancel_subscription(
        &self,
        _: Request<CancelSubscriptionRequest>,
    ) -> Result<Response<CancelSubscriptionResponse>, Status> {
        not_asked()
    }

    async fn reactivate_subscription(
        &self,
        _: Request<billing::ReactivateSubscriptionRequest>,
    ) -> Result<Response<billing::ReactivateSubscriptionResponse>, Status> {
        not_asked()
    }

    async fn change_plan(
        &self,
        _: Request<billing::ChangePlanRequest>,
    ) -> Result<Response<billing::ChangePlanResponse>, Status> {
        not_asked()
    }

    async fn begin_withdrawal(
        &self,
        _: Request<billing::BeginWithdrawalRequest>,
    ) -> Result<Response<billing::BeginWithdrawalResponse>, Status> {
        not_asked()
    }

    async fn confirm_withdrawal(
        &self,
        _: Request<billing::ConfirmWithdrawalRequest>,
    ) -> Result<Response<billing::ConfirmWithdrawalResponse>, Status> {
        not_asked()
    }

    async fn list_receipts(
        &self,
        _: Request<billing::ListReceiptsRequest>,
    ) -> Result<Response<billing::ListReceiptsResponse>, Status> {
        not_asked()
    }

    async fn open_portal(
        &self,
        _: Request<billing::OpenPortalRequest>,
    ) -> Result<Response<billing::OpenPortalResponse>, Status> {
        not_asked()
    }
}

#[tonic::async_trait]
impl Personas for Peers {
    async fn get_persona(
        &self,
        request: Request<GetPersonaRequest>,
    ) -> Result<Response<GetPersonaResponse>, Status> {
        let persona = self.persona.lock().expect("no holder panics").clone();
        let wanted = request.into_inner().id;
        match persona.filter(|p| wanted.is_none_or(|id| id == p.id)) {
            Some(persona) => Ok(Response::new(GetPersonaResponse { persona: Some(persona) })),
            None => Err(Failure::not_found("persona_not_found").into()),
        }
    }

    async fn list_personas(
        &self,
        _: Request<ListPersonasRequest>,
    ) -> Result<Response<ListPersonasResponse>, Status> {
        not_asked()
    }

    async fn replace_personas(
        &self,
        _: Request<ReplacePersonasRequest>,
    ) -> Result<Response<ReplacePersonasResponse>, Status> {
        not_asked()
    }
}

#[tonic::async_trait]
impl Keys for Peers {
    async fn list_revocations(
        &self,
        _: Request<ListRevocationsRequest>,
    ) -> Result<Response<ListRevocationsResponse>, Status> {
        Ok(Response::new(ListRevocationsResponse::default()))
    }
}
