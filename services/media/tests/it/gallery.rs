use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use kit::testing::{as_user, channel, eventually};
use media::engines::{DrawRequest, Drawing, EngineError, ImageEngine, Playbill, Watch};
use proto::{
    events::v1::ImageEnded,
    media::v1::{
        CancelImageRequest, DeleteImageRequest, Image, ImageOptions, JobState, ListImageOptionsRequest,
        Rendition, RestoreImageRequest, UpdateImageRequest, images_client::ImagesClient,
    },
};
use tokio::sync::Notify;
use tonic::Status;

use crate::{
    images::ended,
    support::{House, house, reason},
};

fn images(house: &House) -> ImagesClient<kit::client::Channel> {
    ImagesClient::new(channel(&house.server.url))
}

async fn change(
    house: &House,
    token: &str,
    id: &str,
    label: Option<&str>,
    public: Option<bool>,
) -> Result<Image, Status> {
    let request = UpdateImageRequest { id: id.into(), label: label.map(Into::into), public };
    let answer = as_user(token, images(house).update_image(request)).await?;
    Ok(answer.into_inner().image.expect("an image"))
}

async fn cancel(house: &House, token: &str, id: &str) -> Result<Image, Status> {
    let request = CancelImageRequest { id: id.into() };
    Ok(as_user(token, images(house).cancel_image(request)).await?.into_inner().image.expect("an image"))
}

/// Draws half of a picture, and then waits until it is stopped.
struct Halfway {
    stopped: Arc<Notify>,
}

#[async_trait]
impl ImageEngine for Halfway {
    fn name(&self) -> &'static str {
        "halfway"
    }

    async fn draw(&self, _: &DrawRequest, watch: &Watch) -> Result<Drawing, EngineError> {
        watch.tell(0.5);
        watch.stopped().await;
        self.stopped.notify_one();
        Err(EngineError::Stopped)
    }
}

#[tokio::test]
async fn a_picture_gets_another_label_is_shown_to_all_and_taken_back() {
    let house = house().await;
    let _worker = house.worker(Playbill).await;
    let ((_, ana), (_, ben)) = (house.user("ana"), house.user("ben"));
    let id = house.create(&ana, "a poet").await.expect("queued").id;
    let drawn = ended(&house, &ana, &id).await;
    assert_eq!(
        reason(&change(&house, &ben, &id, Some("mine"), None).await.expect_err("hers")),
        "image_not_found"
    );

    let public = change(&house, &ana, &id, Some(" The long hall "), Some(true)).await.expect("changed");
    assert_eq!(
        (public.label.as_str(), public.public, public.signature.as_str()),
        ("The long hall", true, "")
    );
    house.fetch(&drawn.asset, "", Rendition::Card).await.expect("open to all");
    let private = change(&house, &ana, &id, None, Some(false)).await.expect("changed");
    assert_eq!(private.label, "The long hall", "what is not said stays");
    house.fetch(&drawn.asset, "", Rendition::Card).await.expect_err("hers alone again");
}

#[tokio::test]
async fn a_deleted_picture_can_be_brought_back_for_a_day_and_is_erased_with_its_files() {
    let house = house().await;
    let _worker = house.worker(Playbill).await;
    let (_, ana) = house.user("ana");
    let id = house.create(&ana, "a poet").await.expect("queued").id;
    let drawn = ended(&house, &ana, &id).await;

    let gone = as_user(&ana, images(&house).delete_image(DeleteImageRequest { id: id.clone() })).await;
    assert!(gone.expect("deleted").into_inner().erased_at.is_some());
    assert!(house.gallery(&ana, 1, 20).await.0.is_empty());
    assert_eq!(reason(&house.image(&ana, &id).await.expect_err("away")), "image_not_found");
    let back = as_user(&ana, images(&house).restore_image(RestoreImageRequest { id: id.clone() })).await;
    assert_eq!(back.expect("back").into_inner().image.expect("an image").asset, drawn.asset);

    as_user(&ana, images(&house).delete_image(DeleteImageRequest { id: id.clone() })).await.expect("deleted");
    sqlx::query("update job set deleted_at = now() - interval '25 hours'")
        .execute(&house.db.pool)
        .await
        .expect("a day later");
    eventually(async || {
        house.fetch(&drawn.asset, &drawn.signature, Rendition::Full).await.is_err().then_some(())
    })
    .await;
    let back = as_user(&ana, images(&house).restore_image(RestoreImageRequest { id })).await;
    assert_eq!(reason(&back.expect_err("erased")), "image_not_found");
}

#[tokio::test]
async fn what_waits_or_is_drawn_can_be_cancelled_and_its_coins_come_back() {
    let house = house().await;
    let events = house.events().await;
    let (_, ana) = house.user("ana");
    let waits = house.create(&ana, "a poet").await.expect("queued").id;
    assert_eq!(cancel(&house, &ana, &waits).await.expect("cancelled").state(), JobState::Canceled);
    events.wait("media.image.canceled", |e: &ImageEnded| e.job_id == waits).await;

    let stopped = Arc::new(Notify::new());
    let _worker = house.worker(Halfway { stopped: Arc::clone(&stopped) }).await;
    let drawn = house.create(&ana, "a sailor").await.expect("queued").id;
    eventually(async || {
        let image = house.image(&ana, &drawn).await.expect("hers");
        (image.state() == JobState::Running && image.progress > 0.4).then_some(())
    })
    .await;
    assert_eq!(cancel(&house, &ana, &drawn).await.expect("cancelled").state(), JobState::Canceled);
    events.wait("media.image.canceled", |e: &ImageEnded| e.job_id == drawn).await;
    tokio::time::timeout(Duration::from_secs(10), stopped.notified()).await.expect("the engine was stopped");
    assert_eq!(
        cancel(&house, &ana, &drawn).await.expect("as it is").state(),
        JobState::Canceled,
        "twice is once"
    );
}

#[tokio::test]
async fn the_form_gets_all_choices_and_only_those_are_taken() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let told =
        images(&house).list_image_options(ListImageOptionsRequest {}).await.expect("told").into_inner();
    let field = |name: &str| told.options.iter().find(|o| o.field == name).expect(name).choices.clone();
    assert_eq!(
        field("age").iter().map(|c| c.value.as_str()).collect::<Vec<_>>(),
        ["18", "20s", "30s", "40s", "50s"]
    );
    assert_eq!(field("pose").iter().filter(|c| !c.nsfw).count(), 10);
    assert_eq!(field("pose").iter().filter(|c| c.nsfw).count(), 23);
    let order = |pose: &str, nsfw| {
        let options = Some(ImageOptions { pose: pose.into(), ..ImageOptions::default() });
        proto::media::v1::CreateImageRequest { options, label: String::new(), nsfw }
    };
    let odd = as_user(&ana, images(&house).create_image(order("On the moon", true))).await;
    assert_eq!(reason(&odd.expect_err("none of the poses")), "invalid");
    let off = as_user(&ana, images(&house).create_image(order("Pose 11", false))).await;
    assert_eq!(reason(&off.expect_err("NSFW is off")), "nsfw_off");
    let private = as_user(&ana, images(&house).create_image(order("Pose 11", true))).await.expect("queued");
    let id = private.into_inner().image.expect("an image").id;
    let refused = change(&house, &ana, &id, None, Some(true)).await.expect_err("stays private");
    assert_eq!(reason(&refused), "image_private");
}
