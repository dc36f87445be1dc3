//! What other services know: cards (catalog), entitlements (billing), personas (auth). Asked as the
//! user who writes; believed for half a minute, or until a notice says that it has changed.

mod cache;
mod cards;

use std::sync::Arc;

use kit::{
    client::Channel,
    error::Failure,
    notice::{Notice, NoticeEvent, Notices},
    shutdown::Shutdown,
};
use proto::{
    auth::v1::{GetPersonaRequest, PersonaGender, personas_client::PersonasClient},
    billing::v1::{GetEntitlementRequest, Plan, subscriptions_client::SubscriptionsClient},
    catalog::v1::{OpenCharacterRequest, characters_client::CharactersClient},
};
use tokio::sync::broadcast::error::RecvError;
use tonic::Code;
use uuid::Uuid;

use self::cache::Cache;
pub use self::cards::{Opened, one_line};
use crate::{
    config::Config,
    engines::Person,
    error::{Error, Result},
};

/// Hint of a changed entitlement; its id is the user.
const ENTITLEMENT_CHANGED: &str = "entitlement.changed";
/// Hint of a changed card; its id is the character.
pub const CHARACTER_CHANGED: &str = "character.changed";
/// Hint of changed personas; its id is the user.
const PERSONAS_CHANGED: &str = "personas.changed";
/// Hint of a user whose age, NSFW or blocks have changed: catalog opens other cards to them.
const VIEWER_CHANGED: &str = "viewer.changed";
/// Hints after which something that is kept here no longer holds.
pub const HEARD: &[&str] = &[ENTITLEMENT_CHANGED, CHARACTER_CHANGED, PERSONAS_CHANGED, VIEWER_CHANGED];

/// What the caller may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entitlement {
    pub paid: bool,
    pub plan: Plan,
    /// Replies of a calendar month; of no meaning for a free user.
    pub messages_per_month: u32,
    /// Tokens of prompt and reply; 0 leaves it to the engine.
    pub memory_tokens: u32,
}

/// Asks the other services.
#[derive(Clone)]
pub struct Peers {
    characters: CharactersClient<Channel>,
    subscriptions: SubscriptionsClient<Channel>,
    personas: PersonasClient<Channel>,
    /// By user and character: catalog decides for each reader.
    cards: Cache<(Uuid, Uuid), Arc<Opened>>,
    entitlements: Cache<Uuid, Entitlement>,
    /// By user and what was asked for: an id, or the default one, which there may not be.
    people: Cache<(Uuid, Option<String>), Option<Person>>,
}

impl Peers {
    /// # Errors
    /// When an address is malformed.
    pub fn new(config: &Config) -> anyhow::Result<Self> {
        Ok(Self {
            characters: CharactersClient::new(kit::client::channel(&config.catalog_grpc_url)?),
            subscriptions: SubscriptionsClient::new(kit::client::channel(&config.billing_grpc_url)?),
            personas: PersonasClient::new(kit::client::channel(&config.common.auth_grpc_url)?),
            cards: Cache::default(),
            entitlements: Cache::default(),
            people: Cache::default(),
        })
    }

    /// The card, if the caller may chat with the character.
    ///
    /// # Errors
    /// What catalog answers.
    pub async fn card(&self, user: Uuid, character: Uuid) -> Result<Arc<Opened>> {
        if let Some(card) = self.cards.get(&(user, character)) {
            return Ok(card);
        }
        let asked = self.cards.age();
        let request = OpenCharacterRequest { id: character.to_string() };
        let answer = self.characters.clone().open_character(request).await.map_err(Error::Upstream)?;
        let opened = Arc::new(Opened::read(answer.into_inner())?);
        self.cards.put(asked, (user, character), opened.clone());
        Ok(opened)
    }

    /// # Errors
    /// What billing answers.
    pub async fn entitlement(&self, user: Uuid) -> Result<Entitlement> {
        if let Some(entitlement) = self.entitlements.get(&user) {
            return Ok(entitlement);
        }
        let asked = self.entitlements.age();
        let answer = self.subscriptions.clone().get_entitlement(GetEntitlementRequest {}).await;
        let told = answer.map_err(Error::Upstream)?.into_inner().entitlement.unwrap_or_default();
        let entitlement = Entitlement {
            paid: matches!(told.plan(), Plan::Premium | Plan::Deluxe),
            plan: told.plan(),
            messages_per_month: told.messages_per_month,
            memory_tokens: told.memory_tokens,
        };
        self.entitlements.put(asked, user, entitlement);
        Ok(entitlement)
    }

    /// One of the caller's personas; without an id the default one, if there is any.
    ///
    /// # Errors
    /// What auth answers about a persona that was asked for by its id.
    pub async fn persona(&self, user: Uuid, id: Option<String>) -> Result<Option<Person>> {
        let wanted = (user, id.clone());
        if let Some(person) = self.people.get(&wanted) {
            return Ok(person);
        }
        let asked = self.people.age();
        let named = id.is_some();
        let person = match self.personas.clone().get_persona(GetPersonaRequest { id }).await {
            Ok(answer) => answer.into_inner().persona.map(|persona| Person {
                gender: gender(persona.gender()).to_owned(),
                name: one_line(&persona.name),
                description: persona.description,
            }),
            Err(status) if named => return Err(Error::Upstream(status)),
            Err(status) if status.code() == Code::NotFound => None,
            Err(status) => {
                let reason = Failure::from_status(&status).reason;
                tracing::warn!(reason, "going on without the default persona");
                return Ok(None);
            }
        };
        self.people.put(asked, wanted, person.clone());
        Ok(person)
    }

    /// Forgets what is known of a character.
    pub fn forget_character(&self, character: Uuid) {
        self.cards.drop_where(|(_, of)| *of == character);
    }

    /// Forgets by notice, until shutdown.
    pub async fn listen(self, notices: Notices, shutdown: Shutdown) {
        let mut events = notices.subscribe();
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                () = shutdown.wait() => return,
            };
            match event {
                Ok(NoticeEvent::Notice(Notice::Hint { user, what, id, .. })) => match what.as_str() {
                    ENTITLEMENT_CHANGED => self.entitlements.drop_where(|of| *of == user),
                    PERSONAS_CHANGED => self.people.drop_where(|(of, _)| *of == user),
                    VIEWER_CHANGED => self.cards.drop_where(|(of, _)| *of == user),
                    CHARACTER_CHANGED => {
                        if let Ok(character) = Uuid::try_parse(&id) {
                            self.forget_character(character);
                        }
                    }
                    _ => {}
                },
                Ok(NoticeEvent::Notice(Notice::Revoked { .. })) => {}
                // Some notices were missed: anything may have changed.
                Ok(NoticeEvent::Lost | NoticeEvent::Restored) | Err(RecvError::Lagged(_)) => {
                    self.cards.drop_where(|_| true);
                    self.entitlements.drop_where(|_| true);
                    self.people.drop_where(|_| true);
                }
                Err(RecvError::Closed) => return,
            }
        }
    }
}

fn gender(gender: PersonaGender) -> &'static str {
    match gender {
        PersonaGender::Male => "male",
        PersonaGender::Female => "female",
        PersonaGender::Trans => "trans",
        PersonaGender::Other => "other",
        PersonaGender::Unspecified => "",
    }
}
