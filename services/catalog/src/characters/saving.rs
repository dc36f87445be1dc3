//! Making and changing characters: paid for, within the rules, shown to others once nothing holds them.

use kit::{caller::User, db::Transaction, error::Failure, idempotency, outbox};
use moderation::Rule;
use prost::Message as _;
use proto::{
    catalog::v1::{
        Character, CreateCharacterRequest, CreateCharacterResponse, UpdateCharacterRequest,
        create_character_request::Portrait, update_character_request::Portrait as NewPortrait,
    },
    events::v1::UserStruck,
    media::v1::{CreatePortraitRequest, ImageOptions, Standing},
};
use uuid::Uuid;

use super::{Draft, gate::Gate, grpc::NO_CHARACTER, judging::judged, rows, store};
use crate::{
    App,
    cards::store as cards,
    error::{Error, Result},
    events,
    held::{self, Standings},
    limits, viewers,
};

/// Asked for when there is neither an image nor generate mode (specification, section 5).
const NO_IMAGE: &str = "Please upload an image or select generate mode for the character's image!";
/// What was refused, for people.
pub(crate) const A_CHARACTER: &str = "a character";
pub(super) const REFUSED_IMAGE: &str = "This picture is against the rules.";

impl App {
    pub(super) async fn create(
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
        let draft = self.within_rules(user.id, A_CHARACTER, judged(draft, None).await).await?;
        let image = match ask.portrait {
            Some(Portrait::ImageAsset(asset)) if !asset.is_empty() => asset,
            Some(Portrait::Generate(_)) => String::new(),
            _ => return Err(Failure::invalid("image", NO_IMAGE).into()),
        };
        let standings = self.standings(&draft, &image).await?;
        let id = Uuid::now_v7();
        // First, because it may be refused: then nothing was created.
        if let Some(options) = &generate {
            self.ask_portrait(user.id, (id, 1), options.clone(), &draft).await?;
        }

        let mut tx = self.db.begin().await?;
        self.add(&mut tx, user, id, &draft, &standings, (&image, generate.is_some())).await?;
        let whole = rows::whole(&mut *tx, id, 0).await?.ok_or(Error::CharacterNotFound)?;
        let character = Gate::of(user.id).full(whole);
        let answer = CreateCharacterResponse { character };
        if let Some(held) = held {
            held.finish(&mut *tx, &answer.encode_to_vec()).await?;
        }
        tx.commit().await?;
        Ok(answer)
    }

    /// Adds a character; its picture is there, or awaited.
    pub(crate) async fn add(
        &self,
        tx: &mut Transaction,
        user: &User,
        id: Uuid,
        draft: &Draft,
        standings: &Standings,
        (image, pending): (&str, bool),
    ) -> Result<()> {
        store::know_creator(&mut **tx, user.id, &user.name).await?;
        store::know_tags(&mut **tx, &draft.tags).await?;
        store::add(&mut **tx, id, user.id, draft, image, pending).await?;
        store::put_extras(&mut **tx, id, &draft.extras).await?;
        held::save(tx, id, standings).await?;
        store::relist(tx, id, true).await?;
        events::character_changed(tx, id).await
    }

    /// # Errors
    /// What the rules said; of what a rule refuses whose repeat suspends, auth is told.
    pub(crate) async fn within_rules<T>(
        &self,
        user: Uuid,
        object: &str,
        made: Result<T, Failure>,
    ) -> Result<T> {
        if let Err(refused) = &made
            && let Some(rule) = refused.meta.get("rule").and_then(|id| Rule::named(id))
            && rule.strikes()
        {
            // In a transaction of its own: what was refused is rolled back.
            let struck =
                UserStruck { user_id: user.to_string(), rule: rule.as_str().into(), object: object.into() };
            let mut tx = self.db.begin().await?;
            outbox::enqueue(&mut *tx, events::STRUCK, &struck).await?;
            tx.commit().await?;
        }
        Ok(made?)
    }

    /// How a draft and its picture stand.
    ///
    /// # Errors
    /// `moderated` when the picture was refused, `ImagePrivate` when it may not be this character's.
    pub(crate) async fn standings(&self, draft: &Draft, image: &str) -> Result<Standings> {
        let look = if image.is_empty() { None } else { Some(held::look(&self.assets, image).await) };
        if look.is_some_and(|look| look.private_only) && draft.public && !draft.nsfw {
            return Err(Error::ImagePrivate);
        }
        let waiting = match look {
            None => false,
            Some(look) => match look.standing {
                Standing::Passed => false,
                Standing::Refused => {
                    return Err(Failure::new(tonic::Code::FailedPrecondition, "moderated", "the picture")
                        .field("image", REFUSED_IMAGE)
                        .into());
                }
                Standing::Waiting | Standing::Unspecified => true,
            },
        };
        Ok(Standings {
            digest: draft.words().digest(),
            hold: draft.judged.hold,
            limit: draft.judged.limit,
            check: self.checks(draft.public),
            image: image.to_owned(),
            waiting,
        })
    }

    /// # Errors
    /// `UpgradeRequired`, once billing's event has had the time to arrive: the BFF asks billing itself, so
    /// whoever comes here has usually just paid.
    pub(crate) async fn must_pay(&self, user: Uuid) -> Result<()> {
        let patience = tokio::time::Instant::now() + limits::PAYMENT_PATIENCE;
        while !store::has_paid_plan(&self.db, user).await? {
            if tokio::time::Instant::now() > patience {
                return Err(Error::UpgradeRequired);
            }
            tokio::time::sleep(limits::PAYMENT_LOOK).await;
        }
        Ok(())
    }

    pub(super) async fn change(&self, user: &User, ask: UpdateCharacterRequest) -> Result<Character> {
        let id = kit::ids::find(NO_CHARACTER, &ask.id)?;
        let (next, shown) =
            store::next_portrait(&self.db, id, user.id).await?.ok_or(Error::CharacterNotFound)?;
        let mut draft = ask.draft.unwrap_or_default();
        if let Some(NewPortrait::Generate(options)) = &ask.portrait {
            draft.age = Some(generated_age(options)?);
        }
        let kept = rows::extras(&self.db, id).await?;
        // Read again as they were written, a book that says the same stays as it is.
        let asked = draft.extras.take();
        let same_book = asked.as_ref().is_some_and(|extras| kept.book.says(&extras.character_book));
        let mut extras = asked.unwrap_or_else(|| kept.clone().into());
        if same_book {
            extras.character_book.clone_from(&kept.book.json);
        }
        draft.extras = Some(extras);
        let original = cards::original(&self.db, id).await?;
        let judged = judged(draft, original.map(|original| original.json)).await;
        let draft = self.within_rules(user.id, A_CHARACTER, judged).await?;
        let (image, pending) = match ask.portrait {
            Some(NewPortrait::Generate(options)) => {
                self.ask_portrait(user.id, (id, next), options, &draft).await?;
                (String::new(), Some(next))
            }
            Some(NewPortrait::ImageAsset(asset)) => (asset, None),
            None => (String::new(), None),
        };
        let standings = self.standings(&draft, if image.is_empty() { &shown } else { &image }).await?;
        let mut tx = self.db.begin().await?;
        store::know_tags(&mut *tx, &draft.tags).await?;
        if !store::update(&mut *tx, id, user.id, &draft, &image, pending).await? {
            return Err(Error::CharacterNotFound);
        }
        store::put_extras(&mut *tx, id, &draft.extras).await?;
        held::save(&mut tx, id, &standings).await?;
        store::relist(&mut tx, id, true).await?;
        events::character_changed(&mut tx, id).await?;
        tx.commit().await?;
        self.show(Gate::of(user.id), id).await
    }

    /// Queues a portrait; media charges, refuses and repeats as for any image.
    pub(crate) async fn ask_portrait(
        &self,
        user: Uuid,
        (id, version): (Uuid, i64),
        options: ImageOptions,
        draft: &Draft,
    ) -> Result<()> {
        let request = CreatePortraitRequest {
            character_id: id.to_string(),
            options: Some(options),
            tags: draft.tags.clone(),
            private: draft.nsfw || !draft.public,
            version,
            nsfw: draft.nsfw && viewers::nsfw_on(&self.db, user).await?,
        };
        self.images.clone().create_portrait(request).await.map_err(Error::Upstream)?;
        Ok(())
    }

    pub(crate) async fn show(&self, gate: Gate, id: Uuid) -> Result<Character> {
        let whole = rows::whole(&self.db, id, limits::NEWEST_REVIEWS).await?;
        whole.and_then(|whole| gate.full(whole)).ok_or(Error::CharacterNotFound)
    }
}

/// With generate mode the age is that of the generation (readings, Forms).
pub(crate) fn generated_age(options: &ImageOptions) -> Result<u32> {
    match options.age.as_str() {
        "18" => Ok(18),
        "20s" => Ok(20),
        "30s" => Ok(30),
        "40s" => Ok(40),
        "50s" => Ok(50),
        _ => Err(Failure::invalid("imageGeneration[age]", "Choose one of 18, 20s, 30s, 40s, 50s.").into()),
    }
}
