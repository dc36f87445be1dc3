use std::io::Cursor;

use image::{DynamicImage, GenericImageView as _, ImageFormat, Rgb, RgbImage};
use kit::testing::{as_user_with_key, channel};
use proto::media::v1::{CreateUploadRequest, Rendition, UploadPurpose, uploads_client::UploadsClient};

use crate::support::{house, reason};

fn picture(width: u32, height: u32) -> DynamicImage {
    let shade = |v: u32| u8::try_from(v % 256).unwrap_or(0);
    RgbImage::from_fn(width, height, |x, y| Rgb([shade(x), shade(y), 120])).into()
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_to(&mut Cursor::new(&mut bytes), format).expect("encoded");
    bytes
}

/// A JPEG with EXIF that says: turned by 90 degrees, and taken somewhere.
fn with_exif(jpeg: &[u8]) -> Vec<u8> {
    let mut tiff = b"MM\0\x2a\0\0\0\x08\0\x02".to_vec();
    // Orientation (0x0112), SHORT, 1 value: 6 = turn clockwise.
    tiff.extend_from_slice(b"\x01\x12\0\x03\0\0\0\x01\0\x06\0\0");
    // Make (0x010f), ASCII, 11 bytes at 38.
    tiff.extend_from_slice(b"\x01\x0f\0\x02\0\0\0\x0b\0\0\0\x26\0\0\0\0");
    tiff.extend_from_slice(b"HOMEADDRES\0");
    let mut segment = b"Exif\0\0".to_vec();
    segment.extend_from_slice(&tiff);
    let length = u16::try_from(segment.len() + 2).expect("short").to_be_bytes();
    [&jpeg[..2], b"\xff\xe1", &length, &segment, &jpeg[2..]].concat()
}

#[tokio::test]
async fn a_photo_is_turned_upright_and_loses_its_metadata() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let photo = with_exif(&encoded(&picture(600, 400), ImageFormat::Jpeg));
    let upload = house.upload(&ana, photo, false).await.expect("taken");
    assert_eq!((upload.width, upload.height), (400, 600), "turned");

    for (size, width) in [(Rendition::Full, 400), (Rendition::Card, 400), (Rendition::Thumb, 240)] {
        let fetched = house.fetch(&upload.asset, "", size).await.expect("public");
        assert!(fetched.immutable);
        assert_eq!(fetched.content_type, "image/webp");
        assert!(!fetched.data.windows(10).any(|w| w == b"HOMEADDRES"), "metadata dropped");
        let shown =
            image::load_from_memory_with_format(&fetched.data, ImageFormat::WebP).expect("a WebP file");
        assert_eq!(shown.dimensions().0, width);
    }
}

#[tokio::test]
async fn all_four_formats_are_taken_and_large_pictures_shrunk() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP] {
        let upload = house.upload(&ana, encoded(&picture(100, 80), format), false).await.expect("taken");
        assert_eq!((upload.width, upload.height), (100, 80), "{format:?}");
    }
    let large =
        house.upload(&ana, encoded(&picture(1600, 2432), ImageFormat::Jpeg), false).await.expect("taken");
    assert_eq!((large.width, large.height), (800, 1216));
}

#[tokio::test]
async fn what_is_no_picture_or_too_much_is_refused() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let refused =
        async |bytes: Vec<u8>| reason(&house.upload(&ana, bytes, false).await.expect_err("refused"));

    assert_eq!(
        refused(b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>".to_vec()).await,
        "unsupported_media"
    );
    assert_eq!(refused(b"GIF89a\x40\0\x40\0<script>alert(1)</script>".to_vec()).await, "unsupported_media");
    assert_eq!(refused(Vec::new()).await, "unsupported_media");
    assert_eq!(refused(encoded(&picture(63, 63), ImageFormat::Png)).await, "invalid");
    assert_eq!(refused(vec![0xff; media::limits::UPLOAD_BYTES + 1]).await, "too_large");
    // A GIF's header is six bytes and two sizes; this one promises 65,535 × 65,535.
    let mut bomb = encoded(&picture(64, 64), ImageFormat::Gif);
    bomb[6..10].copy_from_slice(&[0xff; 4]);
    assert_eq!(refused(bomb).await, "too_large");

    let rows: i64 =
        sqlx::query_scalar("select count(*) from asset").fetch_one(&house.db.pool).await.expect("counted");
    assert_eq!(rows, 0, "nothing is kept of it");
}

#[tokio::test]
async fn a_visitor_uploads_nothing() {
    let house = house().await;
    let refused = house.upload("not a token", encoded(&picture(64, 64), ImageFormat::Png), false).await;
    assert_eq!(reason(&refused.expect_err("refused")), "unauthenticated");
}

#[tokio::test]
async fn a_picture_sent_twice_under_one_key_is_one_asset() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let send = async |key: &str, side: u32| {
        let data = encoded(&picture(side, side), ImageFormat::Png);
        let request =
            CreateUploadRequest { data, purpose: UploadPurpose::Portrait.into(), private: false };
        let mut client = UploadsClient::new(channel(&house.server.url));
        as_user_with_key(&ana, key, client.create_upload(request)).await.map(|a| a.into_inner().asset)
    };
    let first = send("create-1", 100).await.expect("taken");
    assert_eq!(send("create-1", 100).await.expect("the same"), first);
    assert_eq!(reason(&send("create-1", 101).await.expect_err("another picture")), "idempotency_mismatch");
    assert_ne!(send("create-2", 100).await.expect("another key"), first);
}
