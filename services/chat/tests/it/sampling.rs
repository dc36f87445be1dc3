//! How a chat is written, and who may say so.

use kit::{
    error::Failure,
    testing::{as_user, published},
};
use proto::{
    billing::v1::Plan,
    chat::v1::{
        ChatSampling, DeletePresetRequest, GetChatSamplingRequest, GetSamplingRequest, SamplingPreset,
        SamplingValues, SavePresetRequest, SetChatSamplingRequest, sampling_client::SamplingClient,
    },
    events::v1::UserStruck,
};
use serde_json::json;
use tonic::Status;

use crate::{
    model::Step,
    support::{House, Talk, house_told, house_with_model, reason},
};

impl Talk {
    pub async fn sampling(&self) -> Result<ChatSampling, Status> {
        let request = GetChatSamplingRequest { chat_id: self.chat.clone() };
        let mut client = SamplingClient::new(self.channel.clone());
        let answer = as_user(&self.token, client.get_chat_sampling(request)).await?;
        Ok(answer.into_inner().sampling.expect("told"))
    }

    async fn set(&self, preset: &str, values: SamplingValues) -> Result<ChatSampling, Status> {
        let (chat_id, preset) = (self.chat.clone(), preset.to_owned());
        let request = SetChatSamplingRequest { chat_id, preset, values: Some(values) };
        let mut client = SamplingClient::new(self.channel.clone());
        let answer = as_user(&self.token, client.set_chat_sampling(request)).await?;
        Ok(answer.into_inner().sampling.expect("told"))
    }

    async fn save(&self, label: &str, values: SamplingValues) -> Result<SamplingPreset, Status> {
        let request = SavePresetRequest { label: label.into(), values: Some(values) };
        let mut client = SamplingClient::new(self.channel.clone());
        let answer = as_user(&self.token, client.save_preset(request)).await?;
        Ok(answer.into_inner().preset.expect("told"))
    }

    async fn drop_preset(&self, id: &str) -> Result<(), Status> {
        let mut client = SamplingClient::new(self.channel.clone());
        as_user(&self.token, client.delete_preset(DeletePresetRequest { id: id.into() })).await.map(drop)
    }
}

async fn asked_for(house: &House, talk: &Talk) -> serde_json::Value {
    house.model.streams(&[Step::Say("So be it."), Step::Finish]);
    talk.say("Go on.").await.expect("sent");
    house.model.asked.lock().expect("no holder panics").last().expect("asked").clone()
}

fn warm(temperature: f64) -> SamplingValues {
    SamplingValues { temperature: Some(temperature), ..Default::default() }
}

#[tokio::test]
async fn a_free_chat_is_written_with_the_default_preset() {
    let house = house_with_model().await;
    let talk = house.talk().await;
    let refused = talk.set("creative", SamplingValues::default()).await.expect_err("no plan");
    assert_eq!(reason(&refused), "upgrade_required");
    assert_eq!(reason(&talk.save("Mine", warm(1.0)).await.expect_err("no plan")), "upgrade_required");
    let told = talk.sampling().await.expect("told");
    assert_eq!((told.preset.as_str(), told.may_set), ("balanced", false));

    let body = asked_for(&house, &talk).await;
    assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0.9), &json!(200)), "{body}");
    assert_eq!(body["min_p"], json!(null), "a server of which little is known is sent little: {body}");
    assert_eq!(body["stop"], json!(["\nrobin:", "\n**robin:"]));
}

#[tokio::test]
async fn each_plan_begins_with_the_preset_that_the_operator_gives_it() {
    let house = house_told(|config| {
        config.engine.llm_default_preset = "free=brief, deluxe=creative".into();
    })
    .await;
    let free = house.talk().await;
    assert_eq!(free.sampling().await.expect("told").preset, "brief");
    assert_eq!(asked_for(&house, &free).await["temperature"], json!(0.85));

    house.peers.plan(Plan::Deluxe, 1_000);
    let deluxe = house.talk().await;
    assert_eq!(deluxe.sampling().await.expect("told").preset, "creative");
    assert_eq!(asked_for(&house, &deluxe).await["temperature"], json!(1.15));
}

#[tokio::test]
async fn a_plan_sets_how_a_chat_is_written_within_bounds() {
    let house = house_with_model().await;
    house.peers.plan(Plan::Premium, 1_000);
    let talk = house.talk().await;
    let server = house.with_engine(|e| e.llm_provider = "llamacpp".into()).await;
    let talk = talk.at(&server);

    let too_warm = talk.set("precise", warm(9.0)).await.expect_err("out of bounds");
    let failure = Failure::from_status(&too_warm);
    assert_eq!(
        failure.fields.first().map(|(field, _)| field.as_str()),
        Some("values.temperature"),
        "{failure:?}"
    );
    assert_eq!(reason(&talk.set("no such preset", warm(1.0)).await.expect_err("unknown")), "invalid");

    let values = SamplingValues {
        temperature: Some(0.7),
        repetition_penalty: Some(1.1),
        max_tokens: Some(64.0),
        stop: vec!["THE END".into()],
        ..Default::default()
    };
    let set = talk.set("precise", values).await.expect("set");
    assert_eq!(set.effective.as_ref().expect("told").min_p, Some(0.1), "of the preset");
    assert_eq!(talk.sampling().await.expect("told"), set);
    let body = asked_for(&house, &talk).await;
    for (name, value) in [
        ("temperature", json!(0.7)),
        ("repeat_penalty", json!(1.1)),
        ("min_p", json!(0.1)),
        ("dry_allowed_length", json!(2)),
        ("max_tokens", json!(64)),
        ("stop", json!(["\nrobin:", "\n**robin:", "THE END"])),
    ] {
        assert_eq!(body[name], value, "{name} in {body}");
    }

    house.model.streams(&[Step::Say("It is late. THE"), Step::Say(" END and more"), Step::Finish]);
    assert_eq!(talk.say("And then?").await.expect("sent").message().content, "It is late. ");

    let stranger = Talk { token: house.issuer.user("ada").1, ..talk.at(&house.server) };
    assert_eq!(reason(&stranger.sampling().await.expect_err("another's")), "chat_not_found");
    assert_eq!(reason(&stranger.set("precise", warm(1.0)).await.expect_err("another's")), "chat_not_found");
}

#[tokio::test]
async fn a_reply_takes_a_quarter_of_what_a_plan_reads_at_most() {
    let house = house_with_model().await;
    house.peers.plan(Plan::Premium, 1_000);
    let talk = house.talk().await;
    let small = house.with_engine(|engine| {
        engine.llm_context_tokens = 1_000;
        engine.llm_max_reply_tokens = 390;
    });
    let small = small.await;
    let talk = talk.at(&small);
    assert_eq!(asked_for(&house, &talk).await["max_tokens"], json!(250), "of 1,000");
}

#[tokio::test]
async fn the_name_of_a_preset_is_judged_like_all_that_a_user_writes() {
    let house = house_with_model().await;
    house.peers.plan(Plan::Premium, 1_000);
    let talk = house.talk().await;
    let told = published(&house.common, &["chat.user.struck"]).await;
    let refused = talk.save("She is 15 and it turns erotic", warm(1.0)).await.expect_err("refused");
    assert_eq!(reason(&refused), "moderated");
    told.wait::<UserStruck>("chat.user.struck", |s| s.object == "the name of a preset").await;
}

#[tokio::test]
async fn presets_of_ones_own_are_kept_used_and_deleted() {
    let house = house_with_model().await;
    house.peers.plan(Plan::Premium, 1_000);
    let talk = house.talk().await;
    let mine = talk.save("Rainy evenings", warm(0.4)).await.expect("saved");
    let again = talk.save("Rainy evenings", warm(0.45)).await.expect("replaced");
    assert_eq!(mine.id, again.id);
    talk.set(&mine.id, SamplingValues::default()).await.expect("set");
    assert_eq!(asked_for(&house, &talk).await["temperature"], json!(0.45));

    for n in 1..20 {
        talk.save(&format!("Number {n}"), warm(1.0)).await.expect("saved");
    }
    assert_eq!(reason(&talk.save("One too many", warm(1.0)).await.expect_err("full")), "too_many_presets");
    let mut client = SamplingClient::new(talk.channel.clone());
    let told =
        as_user(&talk.token, client.get_sampling(GetSamplingRequest {})).await.expect("told").into_inner();
    assert_eq!(told.presets.iter().filter(|preset| preset.own).count(), 20);
    let taken = |name: &str| told.bounds.iter().find(|b| b.parameter == name).expect(name).taken;
    assert!(taken("temperature") && taken("max_tokens") && !taken("min_p"));
    let longest = told.bounds.iter().find(|b| b.parameter == "max_tokens").expect("told");
    assert_eq!((longest.max, told.may_set), (200.0, true), "as long as the operator allows");

    let stranger = Talk { token: house.issuer.user("ada").1, ..talk.at(&house.server) };
    assert_eq!(reason(&stranger.drop_preset(&mine.id).await.expect_err("another's")), "preset_not_found");
    talk.drop_preset(&mine.id).await.expect("deleted");
    assert_eq!(reason(&talk.drop_preset(&mine.id).await.expect_err("gone")), "preset_not_found");
    assert_eq!(talk.sampling().await.expect("told").preset, "balanced");
}
