//! Sampling as the web sees it.

use kit::error::Failure;
use proto::chat::v1::{
    ChatSampling, DeletePresetResponse, GetSamplingResponse, ListPresetsResponse, SamplingBound,
    SamplingPreset, SamplingValues, SavePresetResponse, SetChatSamplingRequest, SetChatSamplingResponse,
};
use reqwest::Method;
use serde_json::json;
use tonic::Code;

use crate::support::{house, json as answer, ok};

fn preset() -> SamplingPreset {
    let values = SamplingValues { min_p: Some(0.05), ..SamplingValues::default() };
    SamplingPreset {
        id: "balanced".into(),
        label: "Balanced".into(),
        description: "Lively.".into(),
        values: Some(values),
        own: false,
    }
}

#[tokio::test]
async fn what_can_be_set_is_told_in_the_words_of_the_web() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let bound = SamplingBound { parameter: "min_p".into(), min: 0.0, max: 0.5, step: 0.01, taken: true };
    let told = GetSamplingResponse {
        presets: vec![preset()],
        default_preset: "balanced".into(),
        bounds: vec![bound],
        may_set: true,
        engine: "improv".into(),
        stop_max_items: 8,
        stop_max_length: 40,
        own_max_items: 20,
    };
    house.stage.says("chat.v1.Sampling/GetSampling", told);
    let page = ok(house.get("/api/sampling").bearer_auth(&ada.token)).await;
    assert_eq!(page["bounds"][0]["parameter"], json!("minP"));
    assert_eq!(page["presets"][0]["values"], json!({ "minP": 0.05 }));
    assert_eq!((&page["defaultPreset"], &page["maySet"]), (&json!("balanced"), &json!(true)));

    house.stage.says("chat.v1.Sampling/ListPresets", ListPresetsResponse { presets: vec![preset()] });
    let own = ok(house.get("/api/sampling/presets").bearer_auth(&ada.token)).await;
    assert_eq!(own["presets"][0]["_id"], json!("balanced"));
    house.stage.says("chat.v1.Sampling/SavePreset", SavePresetResponse { preset: Some(preset()) });
    let body = json!({ "label": "Balanced", "values": { "minP": 0.05 } });
    let saved = ok(house.post("/api/sampling/presets", &body).bearer_auth(&ada.token)).await;
    assert_eq!(saved["preset"]["label"], json!("Balanced"));
    house.stage.says("chat.v1.Sampling/DeletePreset", DeletePresetResponse {});
    ok(house.request(Method::DELETE, "/api/sampling/presets/x").bearer_auth(&ada.token)).await;
}

#[tokio::test]
async fn a_chat_is_set_and_what_does_not_fit_is_named_as_it_was_sent() {
    let house = house().await;
    let ada = house.sign_in("ada");
    const SET: &str = "chat.v1.Sampling/SetChatSampling";
    let effective =
        SamplingValues { top_p: Some(0.9), stop: vec!["\n\n".into()], ..SamplingValues::default() };
    let sampling =
        ChatSampling { preset: "balanced".into(), effective: Some(effective), ..ChatSampling::default() };
    house.stage.says(SET, SetChatSamplingResponse { sampling: Some(sampling) });
    let put = || {
        let body = json!({ "preset": "balanced", "values": { "topP": 0.9, "stop": ["\n\n"] } });
        house.request(Method::PUT, "/api/chats/k/sampling").json(&body).bearer_auth(&ada.token)
    };
    let set = ok(put()).await;
    assert_eq!(set["effective"], json!({ "topP": 0.9, "stop": ["\n\n"] }));
    let asked: SetChatSamplingRequest = house.stage.call(SET).read();
    assert_eq!((asked.chat_id.as_str(), asked.values.expect("sent").top_p), ("k", Some(0.9)));

    house.stage.refuses(SET, Failure::invalid("values.top_p", "A number from 0.05 to 1."));
    let (status, refused) = answer(put()).await;
    assert_eq!((status, &refused["fields"]["values.topP"]), (400, &json!("A number from 0.05 to 1.")));
    house.stage.refuses(SET, Failure::new(Code::FailedPrecondition, "upgrade_required", ""));
    assert_eq!(answer(put()).await.0, 402);
}
