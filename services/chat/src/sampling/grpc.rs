use kit::{caller, error::Failure, ids, text};
use proto::chat::v1::{
    ChatSampling, DeletePresetRequest, DeletePresetResponse, GetChatSamplingRequest, GetChatSamplingResponse,
    GetSamplingRequest, GetSamplingResponse, ListPresetsRequest, ListPresetsResponse, SamplingBound,
    SamplingPreset, SavePresetRequest, SavePresetResponse, SetChatSamplingRequest, SetChatSamplingResponse,
    sampling_server::Sampling,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{
    Set, bounds, preset, presets, read,
    store::{self, Own},
};
use crate::{
    App,
    error::{Error, Result},
    limits::{PRESET_LABEL_MAX, PRESETS_MAX, STOP_LENGTH_MAX, STOP_MAX},
    peers::Entitlement,
    rules::Kind,
};

impl From<Own> for SamplingPreset {
    fn from(own: Own) -> Self {
        Self {
            id: own.id.to_string(),
            label: own.label,
            description: String::new(),
            values: Some(own.values.into()),
            own: true,
        }
    }
}

fn count(number: impl TryInto<u32>) -> u32 {
    number.try_into().unwrap_or(u32::MAX)
}

impl App {
    /// # Errors
    /// `upgrade_required` without a plan.
    async fn paid(&self, user: Uuid) -> Result<Entitlement> {
        let entitlement = self.peers.entitlement(user).await?;
        if entitlement.paid { Ok(entitlement) } else { Err(Error::UpgradeRequired) }
    }

    fn shown(&self, set: &Set, Entitlement { paid, plan, .. }: Entitlement) -> ChatSampling {
        let (preset, values, mut effective) = set.hold(paid, self.usual_presets.of(plan));
        let tokens = effective.reply_tokens(self.reply_tokens);
        effective.numbers.insert("max_tokens".to_owned(), f64::from(tokens));
        ChatSampling { preset, values: Some(values.into()), effective: Some(effective.into()), may_set: paid }
    }
}

#[tonic::async_trait]
impl Sampling for App {
    async fn get_sampling(
        &self,
        request: Request<GetSamplingRequest>,
    ) -> Result<Response<GetSamplingResponse>, Status> {
        let user = caller::user(&request)?;
        let (entitlement, own) =
            tokio::try_join!(self.peers.entitlement(user.id), store::own(&self.db, user.id))?;
        let house = presets().iter().map(|preset| SamplingPreset {
            id: preset.id.clone(),
            label: preset.label.clone(),
            description: preset.description.clone(),
            values: Some(preset.values.clone().into()),
            own: false,
        });
        let bounds = bounds(self.reply_tokens).map(|bound| SamplingBound {
            taken: self.engine.takes(&bound.parameter),
            parameter: bound.parameter,
            min: bound.min,
            max: bound.max,
            step: bound.step,
        });
        Ok(Response::new(GetSamplingResponse {
            bounds: bounds.collect(),
            presets: house.chain(own.into_iter().map(Into::into)).collect(),
            default_preset: self.usual_presets.of(entitlement.plan).to_owned(),
            may_set: entitlement.paid,
            engine: self.engine.name().to_owned(),
            stop_max_items: count(STOP_MAX),
            stop_max_length: count(STOP_LENGTH_MAX),
            own_max_items: count(PRESETS_MAX),
        }))
    }

    async fn get_chat_sampling(
        &self,
        request: Request<GetChatSamplingRequest>,
    ) -> Result<Response<GetChatSamplingResponse>, Status> {
        let user = caller::user(&request)?;
        let chat = ids::find("chat_not_found", &request.into_inner().chat_id)?;
        let set = store::of_chat(&self.db, user.id, chat).await?.ok_or(Error::ChatNotFound)?;
        let entitlement = self.peers.entitlement(user.id).await?;
        let sampling = Some(self.shown(&set, entitlement));
        Ok(Response::new(GetChatSamplingResponse { sampling }))
    }

    async fn set_chat_sampling(
        &self,
        request: Request<SetChatSamplingRequest>,
    ) -> Result<Response<SetChatSamplingResponse>, Status> {
        let user = caller::user(&request)?;
        let request = request.into_inner();
        let chat = ids::find("chat_not_found", &request.chat_id)?;
        store::of_chat(&self.db, user.id, chat).await?.ok_or(Error::ChatNotFound)?;
        let entitlement = self.paid(user.id).await?;
        let values = read(request.values, self.reply_tokens)?;
        let id = match request.preset.trim() {
            "" => self.usual_presets.of(entitlement.plan).to_owned(),
            id => id.to_owned(),
        };
        if preset(&id).is_none() {
            let own = store::own(&self.db, user.id).await?;
            if !own.iter().any(|own| own.id.to_string() == id) {
                return Err(Failure::invalid("preset", "Not one of the presets.").into());
            }
        }
        if !store::set(&self.db, user.id, chat, &id, &values).await? {
            return Err(Error::ChatNotFound.into());
        }
        let set = store::of_chat(&self.db, user.id, chat).await?.ok_or(Error::ChatNotFound)?;
        Ok(Response::new(SetChatSamplingResponse { sampling: Some(self.shown(&set, entitlement)) }))
    }

    async fn list_presets(
        &self,
        request: Request<ListPresetsRequest>,
    ) -> Result<Response<ListPresetsResponse>, Status> {
        let user = caller::user(&request)?;
        let own = store::own(&self.db, user.id).await?;
        Ok(Response::new(ListPresetsResponse { presets: own.into_iter().map(Into::into).collect() }))
    }

    async fn save_preset(
        &self,
        request: Request<SavePresetRequest>,
    ) -> Result<Response<SavePresetResponse>, Status> {
        let user = caller::user(&request)?;
        self.paid(user.id).await?;
        let request = request.into_inner();
        let label = text::clean(&request.label, PRESET_LABEL_MAX)
            .map_err(|error| Failure::invalid("label", error.to_string()))?;
        if label.is_empty() {
            return Err(Failure::invalid("label", "Give the preset a name.").into());
        }
        self.judge(user.id, Kind::PRESET, &label).await?;
        let values = read(request.values, self.reply_tokens)?;
        let id = store::save(&self.db, user.id, &label, &values, PRESETS_MAX).await?;
        let id = id.ok_or(Error::TooManyPresets)?;
        let preset = Some(Own { id, label, values }.into());
        Ok(Response::new(SavePresetResponse { preset }))
    }

    async fn delete_preset(
        &self,
        request: Request<DeletePresetRequest>,
    ) -> Result<Response<DeletePresetResponse>, Status> {
        let user = caller::user(&request)?;
        let id = ids::find("preset_not_found", &request.into_inner().id)?;
        if !store::delete(&self.db, user.id, id).await? {
            return Err(Error::PresetNotFound.into());
        }
        Ok(Response::new(DeletePresetResponse {}))
    }
}
