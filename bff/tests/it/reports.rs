use proto::{
    catalog::v1::{FileReportRequest, FileReportResponse, Report, ReportKind, SubjectKind},
    media::v1::{FindCopiesRequest, FindCopiesResponse},
};
use reqwest::Method;
use serde_json::json;

use crate::support::{House, house, ok};

const CHARACTER: &str = "019a9f2e-0000-7000-8000-000000000001";
const ASSET: &str = "0123456789abcdef0123456789abcdef";

fn files(house: &House) {
    house.stage.on("catalog.v1.Reports/FileReport", |asked: FileReportRequest| {
        let report = Report {
            receipt: "TR-1".into(),
            kind: asked.kind,
            subject_kind: asked.subject_kind,
            subject_label: asked.subject_id,
            text: asked.text,
            ..Report::default()
        };
        Ok(FileReportResponse { report: Some(report) })
    });
}

#[tokio::test]
async fn a_visitor_complains_about_an_address_and_gets_a_number() {
    let house = house().await;
    files(&house);
    let complaint = json!({
        "kind": "dmca", "name": "Ada", "email": "ada@example.com", "text": "This is my drawing.", "sworn": true,
        "subject": format!("https://troupe.example/character/{CHARACTER}"),
    });
    let filed = ok(house.post("/api/complaint", &complaint)).await;
    assert_eq!(
        (filed["report"]["number"].as_str(), filed["report"]["kind"].as_str()),
        (Some("TR-1"), Some("dmca"))
    );
    let asked: FileReportRequest = house.stage.call("catalog.v1.Reports/FileReport").read();
    assert_eq!((asked.kind(), asked.subject_kind()), (ReportKind::Dmca, SubjectKind::Character));
    assert_eq!(
        (asked.subject_id.as_str(), asked.sworn, asked.email.as_str()),
        (CHARACTER, true, "ada@example.com")
    );
}

#[tokio::test]
async fn an_intimate_image_is_looked_for_by_itself_and_by_its_address() {
    let house = house().await;
    files(&house);
    let copies = FindCopiesResponse { hashes: vec!["ab".into()], assets: vec!["c".repeat(32)] };
    house.stage.says("media.v1.Assets/FindCopies", copies);
    let texts = [
        ("name", "Ada"),
        ("email", "ada@example.com"),
        ("text", "I never agreed to this."),
        ("subject", &format!("https://troupe.example/media/{ASSET}/full.webp?exp=1")),
    ];
    let picture: &[u8] = b"\x89PNG";
    let form = house.form(
        Method::POST,
        "/api/complaint/intimate-image",
        &texts,
        &[("image", "it.png", "image/png", picture)],
    );
    ok(form).await;
    let found: FindCopiesRequest = house.stage.call("media.v1.Assets/FindCopies").read();
    assert_eq!(found.data, picture);
    let asked: FileReportRequest = house.stage.call("catalog.v1.Reports/FileReport").read();
    assert_eq!((asked.kind(), asked.subject_kind()), (ReportKind::IntimateImage, SubjectKind::Image));
    assert_eq!(asked.subject_id, ASSET, "what was pointed at");
    assert_eq!(asked.assets, ["c".repeat(32)], "what was pointed at is no proof");
    assert_eq!(asked.hashes, ["ab"]);
}
