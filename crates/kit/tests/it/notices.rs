use troupe_kit::{
    house::House,
    notice::{Notice, NoticeEvent},
    shutdown::Shutdown,
    testing::{Issuer, common},
};
use uuid::Uuid;

#[tokio::test]
async fn a_hint_reaches_every_process() {
    let issuer = Issuer::start().await;
    let common = common(&issuer);
    let speaker = House::open(&common, Shutdown::new()).await.expect("the house opens");
    let listener = House::open(&common, Shutdown::new()).await.expect("the house opens");
    let mut heard = listener.notices.subscribe();

    let user = Uuid::now_v7();
    speaker.notices.hint(user, "image.completed", "42").await;
    let expected = Notice::Hint { user, what: "image.completed".into(), id: "42".into(), traceparent: None };
    loop {
        match heard.recv().await.expect("the channel lives") {
            NoticeEvent::Notice(notice) => {
                assert_eq!(notice, expected);
                break;
            }
            NoticeEvent::Restored => {}
            NoticeEvent::Lost => panic!("Redis was there all the time"),
        }
    }
    speaker.shutdown.now();
    listener.shutdown.now();
}
