use std::sync::atomic::Ordering;

use kit::testing::{eventually, publish};
use media::engines::Playbill;
use proto::{events::v1::ImageEnded, media::v1::JobState};
use uuid::Uuid;

use crate::{
    images::ended,
    support::{Flaky, Gated, House, house},
};

async fn attempts(house: &House, id: &str) -> i32 {
    let id = Uuid::try_parse(id).expect("an id");
    sqlx::query_scalar("select attempts from job where id = $1")
        .bind(id)
        .fetch_one(&house.db.pool)
        .await
        .expect("there")
}

#[tokio::test]
async fn an_engine_that_stumbles_is_asked_again() {
    let house = house().await;
    let _worker = house.worker(Flaky::new(2, false)).await;
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    assert_eq!(ended(&house, &ana, &image.id).await.state(), JobState::Completed);
    assert_eq!(attempts(&house, &image.id).await, 3);
}

#[tokio::test]
async fn an_engine_that_fails_for_good_ends_the_job_and_says_so() {
    let house = house().await;
    let events = house.events().await;
    let _worker = house.worker(Flaky::new(usize::MAX >> 4, false)).await;
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    let told: ImageEnded = events.wait("media.image.failed", |e: &ImageEnded| e.job_id == image.id).await;
    assert_eq!(
        (told.reason.as_str(), told.cost),
        ("engine_error", image.cost),
        "billing gives the coins back"
    );
    assert_eq!(ended(&house, &ana, &image.id).await.state(), JobState::Failed);
    assert_eq!(attempts(&house, &image.id).await, media::limits::ATTEMPTS);
}

#[tokio::test]
async fn a_refusal_is_not_tried_again() {
    let house = house().await;
    let _worker = house.worker(Flaky::new(1, true)).await;
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    assert_eq!(ended(&house, &ana, &image.id).await.state(), JobState::Failed);
    assert_eq!(attempts(&house, &image.id).await, 1);
}

#[tokio::test]
async fn a_job_whose_worker_was_killed_is_done_once_by_another() {
    let house = house().await;
    let events = house.events().await;
    let engine = Gated::default();
    // A runtime of its own: dropped, all that it runs is gone at once, as with SIGKILL.
    let doomed = tokio::runtime::Runtime::new().expect("a runtime");
    doomed.spawn(house.worker_run(engine.clone()));
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    eventually(async || (engine.begun.load(Ordering::Relaxed) == 1).then_some(())).await;
    doomed.shutdown_background();
    let _heir = house.worker(Playbill).await;
    assert_eq!(ended(&house, &ana, &image.id).await.state(), JobState::Completed);
    events.wait("media.image.completed", |e: &ImageEnded| e.job_id == image.id).await;
    let pictures: i64 =
        sqlx::query_scalar("select count(*) from asset").fetch_one(&house.db.pool).await.expect("counted");
    assert_eq!(pictures, 1);
    assert_eq!(events.all::<ImageEnded>("media.image.completed").len(), 1);
}

#[tokio::test]
async fn a_worker_that_is_told_to_end_finishes_its_picture() {
    let house = house().await;
    let engine = Gated::default();
    let worker = house.worker(engine.clone()).await;
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    eventually(async || (engine.begun.load(Ordering::Relaxed) == 1).then_some(())).await;
    let (stopped, ()) = tokio::join!(worker.stop(), async { engine.gate.notify_one() });
    let () = stopped;
    assert_eq!(house.image(&ana, &image.id).await.expect("hers").state(), JobState::Completed);
}

#[tokio::test]
async fn a_picture_that_somebody_holds_when_its_ticket_comes_is_drawn_all_the_same() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    let mut holder = house.db.pool.begin().await.expect("begun");
    sqlx::query("select from job where id = $1 for update")
        .bind(Uuid::try_parse(&image.id).expect("an id"))
        .execute(&mut *holder)
        .await
        .expect("held");
    let _worker = house.worker(Playbill).await;
    eventually(async || {
        let waits = "select exists (select from pg_stat_activity
                                    where datname = current_database() and wait_event_type = 'Lock')";
        let waits: bool = sqlx::query_scalar(waits).fetch_one(&house.db.pool).await.expect("asked");
        waits.then_some(())
    })
    .await;
    holder.rollback().await.expect("let go");
    assert_eq!(ended(&house, &ana, &image.id).await.state(), JobState::Completed);
}

#[tokio::test]
async fn a_picture_that_is_not_due_when_its_ticket_comes_is_drawn_when_it_is() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    // As if PostgreSQL's clock were set back by an hour …
    let moved = |by: &'static str| sqlx::query(by).bind(Uuid::try_parse(&image.id).expect("an id"));
    moved("update job set available_at = available_at + interval '1 hour' where id = $1")
        .execute(&house.db.pool)
        .await
        .expect("moved");
    let _worker = house.worker(Playbill).await;
    eventually(async || {
        let later =
            "select exists (select from outbox where topic = 'media.job.queued' and available_at > now())";
        let later: bool = sqlx::query_scalar(later).fetch_one(&house.db.pool).await.expect("asked");
        later.then_some(())
    })
    .await;
    // … and right again.
    moved("update job set available_at = available_at - interval '1 hour' where id = $1")
        .execute(&house.db.pool)
        .await
        .expect("moved back");
    assert_eq!(ended(&house, &ana, &image.id).await.state(), JobState::Completed);
}

#[tokio::test]
async fn users_take_turns() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let (_, ben) = house.user("ben");
    for n in 0..4 {
        house.create(&ana, &format!("poet {n}")).await.expect("queued");
    }
    let his = house.create(&ben, "a baker").await.expect("queued");
    let engine = Gated::default();
    let _worker = house.worker(engine.clone()).await;
    // Two pictures are let through: one of hers, then his.
    for n in 1..=2 {
        eventually(async || (engine.begun.load(Ordering::Relaxed) == n).then_some(())).await;
        engine.gate.notify_one();
    }
    assert_eq!(ended(&house, &ben, &his.id).await.state(), JobState::Completed);
    let (hers, _) = house.gallery(&ana, 1, 20).await;
    assert_eq!(hers.iter().filter(|i| i.state() == JobState::Completed).count(), 1, "her others wait");
}

#[tokio::test]
async fn a_dearer_plan_goes_first_and_keeps_nobody_waiting_for_all_it_ordered() {
    let house = house().await;
    let ((ana_id, ana), (_, ben)) = (house.user("ana"), house.user("ben"));
    let his = house.create(&ben, "a baker").await.expect("queued");
    for n in 0..5 {
        house.create(&ana, &format!("poet {n}")).await.expect("queued");
    }
    sqlx::query("update job set priority = owner = $1")
        .bind(ana_id)
        .execute(&house.db.pool)
        .await
        .expect("Deluxe");
    let engine = Gated::default();
    let _worker = house.worker(engine.clone()).await;
    let hers = async || {
        let (hers, _) = house.gallery(&ana, 1, 20).await;
        hers.iter().filter(|i| i.state() == JobState::Completed).count()
    };
    eventually(async || (engine.begun.load(Ordering::Relaxed) == 1).then_some(())).await;
    engine.gate.notify_one();
    eventually(async || (hers().await == 1).then_some(())).await;
    eventually(async || (engine.begun.load(Ordering::Relaxed) == 2).then_some(())).await;
    engine.gate.notify_one();
    assert_eq!(ended(&house, &ben, &his.id).await.state(), JobState::Completed);
    assert_eq!(hers().await, 1, "her others wait");
}

#[tokio::test]
async fn a_ticket_that_cannot_be_read_holds_nobody_up() {
    let house = house().await;
    let _worker = house.worker(Playbill).await;
    publish(&house.common, "media.job.queued", &"not an id".to_owned()).await;
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    assert_eq!(ended(&house, &ana, &image.id).await.state(), JobState::Completed);
}

#[tokio::test]
async fn dead_letters_are_put_back_by_hand() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    house.kill_ticket().await;
    let _worker = house.worker(Playbill).await;
    assert_eq!(media::worker::replay(&house.common).await.expect("put back"), 1);
    assert_eq!(ended(&house, &ana, &image.id).await.state(), JobState::Completed);
    assert_eq!(media::worker::replay(&house.common).await.expect("none are left"), 0);
}

#[tokio::test]
async fn a_ticket_that_a_broker_took_back_often_is_no_dead_letter() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    house.return_ticket(kit::broker::DELIVERY_LIMIT).await;
    let engine = Gated::default();
    let doomed = tokio::runtime::Runtime::new().expect("a runtime");
    doomed.spawn(house.worker_run(engine.clone()));
    eventually(async || (engine.begun.load(Ordering::Relaxed) == 1).then_some(())).await;
    // What it draws for comes back once more.
    doomed.shutdown_background();
    let _heir = house.worker(Playbill).await;
    assert_eq!(ended(&house, &ana, &image.id).await.state(), JobState::Completed);
    assert_eq!(media::worker::replay(&house.common).await.expect("looked"), 0, "none is dead");
}

#[tokio::test]
async fn what_was_never_paid_for_is_cancelled_and_told() {
    let house = house().await;
    let events = house.events().await;
    let (ana, _) = house.user("ana");
    let id = Uuid::now_v7();
    sqlx::query(
        "insert into job (id, owner, purpose, version, options, tags, label, private, priority, cost, state, created_at)
         values ($1, $2, 'gallery', 1, '{}', '{}', '', true, false, 10, 'unpaid', now() - interval '31 seconds')",
    )
    .bind(id)
    .bind(ana)
    .execute(&house.db.pool)
    .await
    .expect("written");
    let told: ImageEnded =
        events.wait("media.image.canceled", |e: &ImageEnded| e.job_id == id.to_string()).await;
    assert_eq!(told.reason, "unpaid");
}

#[tokio::test]
async fn pictures_whose_tickets_were_lost_get_new_ones() {
    let house = house().await;
    let (_, ana) = house.user("ana");
    let image = house.create(&ana, "a poet").await.expect("queued");
    house.lose_ticket().await;
    for _ in 0..2 {
        let found = media::requeue::run(media::RequeueConfig { database: house.db.target() }).await;
        assert_eq!(found.expect("requeued"), 1);
    }
    let _worker = house.worker(Playbill).await;
    assert_eq!(ended(&house, &ana, &image.id).await.state(), JobState::Completed);
    assert_eq!(attempts(&house, &image.id).await, 1, "the second ticket found nothing to do");
    let found = media::requeue::run(media::RequeueConfig { database: house.db.target() }).await;
    assert_eq!(found.expect("requeued"), 0);
}
