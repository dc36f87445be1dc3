use tokio::sync::broadcast::Receiver;
use troupe_kit::{
    house::House,
    notice::{Notice, NoticeEvent},
    shutdown::Shutdown,
    testing::{Issuer, common},
};
use uuid::Uuid;

/// What a process hears next, other than that it listens.
async fn next(heard: &mut Receiver<NoticeEvent>) -> Notice {
    loop {
        match heard.recv().await.expect("the channel lives") {
            NoticeEvent::Notice(notice) => return notice,
            NoticeEvent::Restored => {}
            NoticeEvent::Lost => panic!("Redis was there all the time"),
        }
    }
}

#[tokio::test]
async fn hints_that_go_together_all_arrive_in_their_order() {
    let issuer = Issuer::start().await;
    let common = common(&issuer);
    let speaker = House::open_without_broker(&common, Shutdown::new()).await.expect("the house opens");
    let mut heard = speaker.notices.subscribe();
    let user = Uuid::now_v7();
    let ids: Vec<String> = (0..50).map(|n| n.to_string()).collect();
    for id in &ids {
        speaker.notices.hint_soon(user, "chat.changed", id);
    }
    for id in ids {
        let hint = Notice::Hint { user, what: "chat.changed".into(), id, traceparent: None };
        assert_eq!(next(&mut heard).await, hint);
    }
    speaker.shutdown.now();
}

#[tokio::test]
async fn what_is_to_be_told_soon_is_told_before_an_orderly_end() {
    let issuer = Issuer::start().await;
    let house = House::open_without_broker(&common(&issuer), Shutdown::new()).await.expect("the house opens");
    let key = house.redis.key("told");
    let count =
        async || -> Option<u32> { house.redis.run(redis::cmd("GET").arg(&key)).await.expect("answered") };
    house.redis.settled().await;
    for _ in 0..3 {
        let (mut one_more, mut expire) = (redis::cmd("INCR"), redis::cmd("EXPIRE"));
        one_more.arg(&key);
        expire.arg(&key).arg(60);
        house.redis.soon(vec![one_more, expire]);
    }
    house.redis.settled().await;
    assert_eq!(count().await, Some(3));
    house.shutdown.now();
}

#[tokio::test]
async fn a_hint_reaches_who_asked_for_its_kind_and_a_revocation_everybody() {
    let issuer = Issuer::start().await;
    let common = common(&issuer);
    let speaker = House::open(&common, Shutdown::new()).await.expect("the house opens");
    let all = House::open_without_broker(&common, Shutdown::new()).await.expect("the house opens");
    let some =
        House::open_hearing(&common, Shutdown::new(), &["personas.changed"]).await.expect("the house opens");
    let mut by_all = all.notices.subscribe();
    let mut by_some = some.notices.subscribe();
    let mut by_none = speaker.notices.subscribe();

    let user = Uuid::now_v7();
    let hint = |what: &str| Notice::Hint { user, what: what.into(), id: "42".into(), traceparent: None };
    speaker.notices.hint(user, "image.completed", "42").await;
    speaker.notices.hint(user, "personas.changed", "42").await;
    let revoked = Notice::Revoked { subject: format!("u:{user}"), not_before: 1, expires_at: 2 };
    speaker.notices.publish(&revoked).await.expect("told");

    assert_eq!(next(&mut by_all).await, hint("image.completed"));
    assert_eq!(next(&mut by_all).await, hint("personas.changed"));
    assert_eq!(next(&mut by_all).await, revoked);
    assert_eq!(next(&mut by_some).await, hint("personas.changed"));
    assert_eq!(next(&mut by_some).await, revoked);
    assert_eq!(next(&mut by_none).await, revoked);
    all.shutdown.now();
    some.shutdown.now();
    speaker.shutdown.now();
}
