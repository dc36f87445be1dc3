use kit::error::Failure;
use proto::media::v1::{FetchAssetRequest, FetchAssetResponse, Rendition};

use crate::support::{header, house};

fn picture(immutable: bool) -> FetchAssetResponse {
    FetchAssetResponse { data: b"RIFF....WEBP".to_vec(), content_type: "image/webp".into(), immutable }
}

#[tokio::test]
async fn a_public_picture_is_kept_for_good() {
    let house = house().await;
    house.stage.says("media.v1.Assets/FetchAsset", picture(true));
    let answer = house.get("/media/k7_Qx-1/card.webp").send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    assert_eq!(header(&answer, "cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(header(&answer, "content-type"), "image/webp");
    let tag = header(&answer, "etag").to_owned();
    assert_eq!(answer.bytes().await.expect("bytes").as_ref(), b"RIFF....WEBP");
    let asked: FetchAssetRequest = house.stage.call("media.v1.Assets/FetchAsset").read();
    assert_eq!((asked.asset.as_str(), asked.rendition(), asked.expires), ("k7_Qx-1", Rendition::Card, 0));

    let again =
        house.get("/media/k7_Qx-1/card.webp").header("if-none-match", tag).send().await.expect("an answer");
    assert_eq!(again.status(), 304);
    assert!(again.bytes().await.expect("bytes").is_empty());
}

#[tokio::test]
async fn a_signed_picture_is_kept_by_its_reader_for_as_long_as_the_signature() {
    let house = house().await;
    house.stage.says("media.v1.Assets/FetchAsset", picture(false));
    let answer = house.get("/media/k7/full.webp?exp=1790000000&sig=abc").send().await.expect("an answer");
    assert_eq!(header(&answer, "cache-control"), "private, max-age=600");
    let asked: FetchAssetRequest = house.stage.call("media.v1.Assets/FetchAsset").read();
    assert_eq!(
        (asked.rendition(), asked.expires, asked.signature.as_str()),
        (Rendition::Full, 1_790_000_000, "abc")
    );
}

#[tokio::test]
async fn what_is_not_to_be_seen_is_not_found_and_not_remembered() {
    let house = house().await;
    house.stage.refuses("media.v1.Assets/FetchAsset", Failure::not_found("asset_not_found"));
    for path in [
        "/media/k7/full.webp",
        "/media/k7/full.webp?exp=soon",
        "/media/k7/huge.webp",
        "/media/k7/card.png",
        "/media/a.b/card.webp",
    ] {
        let answer = house.get(path).send().await.expect("an answer");
        assert_eq!(answer.status(), 404, "{path}");
        assert_eq!(header(&answer, "cache-control"), "no-store", "{path}");
    }
    assert_eq!(
        house.stage.calls("media.v1.Assets/FetchAsset").len(),
        1,
        "only a well-formed address is asked for"
    );
}
