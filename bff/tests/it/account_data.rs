use proto::{
    auth::v1::ExportAccountDataResponse as Auth, billing::v1::ExportAccountDataResponse as Billing,
    catalog::v1::ExportAccountDataResponse as Catalog, chat::v1::ExportAccountDataResponse as Chat,
    media::v1::ExportAccountDataResponse as Media,
};
use serde_json::json;
use tonic::Status;

use crate::support::{header, house, json, read};

#[tokio::test]
async fn an_export_has_every_service_or_is_refused() {
    let house = house().await;
    let ada = house.sign_in("ada");
    let text = |of: &str| json!({ "of": of }).to_string();
    let stage = &house.stage;
    stage.says("auth.v1.AccountData/ExportAccountData", Auth { json: text("auth") });
    stage.says("catalog.v1.AccountData/ExportAccountData", Catalog { json: text("catalog") });
    stage.says("chat.v1.AccountData/ExportAccountData", Chat { json: text("chat") });
    stage.says("media.v1.AccountData/ExportAccountData", Media { json: text("media") });
    stage.says("billing.v1.AccountData/ExportAccountData", Billing { json: text("billing") });

    let answer = house.get("/api/account/export").bearer_auth(&ada.token).send().await.expect("an answer");
    assert_eq!(header(&answer, "content-disposition"), "attachment; filename=\"account.json\"");
    let (status, all) = read(answer).await;
    assert_eq!(status, 200);
    for (part, of) in [
        ("account", "auth"),
        ("catalog", "catalog"),
        ("chat", "chat"),
        ("media", "media"),
        ("billing", "billing"),
    ] {
        assert_eq!(all[part], json!({ "of": of }));
    }

    stage.refuses("chat.v1.AccountData/ExportAccountData", Status::unavailable("away"));
    let (status, body) = json(house.get("/api/account/export").bearer_auth(&ada.token)).await;
    assert_eq!((status, body["code"].as_str()), (503, Some("unavailable")), "half an export would be a lie");
}
