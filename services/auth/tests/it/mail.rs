use kit::{
    config::Secret,
    testing::{Issuer, common, eventually, publish, publish_as, published, serve},
};
use proto::{
    auth::v1::{ListMailRequest, mailbox_client::MailboxClient},
    events::v1::{MailRequested, UserChanged, mail_requested::To},
};
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::support::{email, house, house_with};

fn receipt(user: &str) -> MailRequested {
    let params = [("plan", "Premium"), ("period", "monthly"), ("amount", "$9.00 USD"), ("reference", "r-1")];
    MailRequested {
        to: Some(To::UserId(user.into())),
        template: "receipt".into(),
        params: params.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
    }
}

#[tokio::test]
async fn what_another_service_asks_for_is_mailed_once() {
    let house = house().await;
    let seen = published(&house.common, &["auth.user.registered"]).await;
    let id = house.sign_up("ada").await.expect("signed up");
    seen.wait::<UserChanged>("auth.user.registered", |u| u.user_id == id).await;

    // The broker may deliver an event twice; one that nobody understands holds up nothing.
    publish(
        &house.common,
        "billing.mail.requested",
        &MailRequested { template: "odd".into(), ..receipt(&id) },
    )
    .await;
    let event = Uuid::now_v7();
    for _ in 0..2 {
        publish_as(&house.common, event, "billing.mail.requested", &receipt(&id)).await;
    }
    let last = MailRequested { to: Some(To::Address(email("bea"))), ..receipt(&id) };
    publish(&house.common, "billing.mail.requested", &last).await;

    let mail = house.mail("ada", "receipt").await;
    assert!(mail.text.contains("Premium (monthly)") && mail.text.contains("$9.00 USD"), "{}", mail.text);
    house.mail("bea", "receipt").await;
    let waiting = eventually(|| async {
        let waiting: i64 =
            sqlx::query_scalar("select count(*) from mail").fetch_one(&house.db.pool).await.ok()?;
        (waiting == 0).then_some(waiting)
    })
    .await;
    assert_eq!(waiting, 0, "what is delivered is forgotten");
    let mails = MailboxClient::new(house.channel()).list_mail(ListMailRequest {}).await.expect("a mailbox");
    let receipts = |name: &str| {
        let all = mails.get_ref().mails.iter();
        all.filter(|m| m.to == email(name) && m.subject.contains("receipt")).count()
    };
    assert_eq!((receipts("ada"), receipts("bea")), (1, 1));
}

#[tokio::test]
async fn mail_whose_sender_is_gone_is_sent_by_the_next_at_once() {
    // It takes connections and says nothing.
    let mute = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("smtp://{}", mute.local_addr().expect("an address"));
    let mut kept = None;
    let house = house_with(common(&Issuer::start().await), |config| {
        kept = Some(config.clone());
        config.mail.smtp_url = Some(Secret::new(&url));
    })
    .await;
    house.sign_up("ada").await.expect("signed up");
    let (_line, _) = mute.accept().await.expect("it is being sent");

    // For PostgreSQL its sender has died; a second replica has a mailbox.
    let ended = sqlx::query_scalar::<_, bool>(
        "select pg_terminate_backend(pid) from pg_locks
         where relation = 'mail'::regclass and mode = 'RowShareLock'
           and database = (select oid from pg_database where datname = current_database())",
    );
    assert_eq!(ended.fetch_all(&house.db.pool).await.expect("ended"), [true], "one holds it");
    let config = kept.expect("a configuration");
    let second = serve(|listener, shutdown| auth::run(config, listener, shutdown)).await;
    assert_eq!(house.mail("ada", "is your Troupe code").await.to, email("ada"));
    second.stop().await;
}

#[tokio::test]
async fn mail_that_cannot_be_sent_is_put_off() {
    let house = house_with(common(&Issuer::start().await), |config| {
        config.mail.smtp_url = Some(Secret::new("smtp://127.0.0.1:1"));
    })
    .await;
    house.sign_up("ada").await.expect("signed up");
    let put_off = async |attempts: i32| {
        eventually(|| async {
            let left =
                "select extract(epoch from available_at - now())::float8 from mail where attempts = $1";
            sqlx::query_scalar::<_, f64>(left).bind(attempts).fetch_optional(&house.db.pool).await.ok()?
        })
        .await
    };
    let first = put_off(1).await;
    assert!((10.0..=30.0).contains(&first), "{first} s");
    sqlx::query("update mail set available_at = now()").execute(&house.db.pool).await.expect("time passes");
    let second = put_off(2).await;
    assert!((40.0..=60.0).contains(&second), "twice as long: {second} s");
}

#[tokio::test]
async fn mail_is_not_sent_again_because_the_database_takes_no_writes() {
    let house = house().await;
    for statement in [
        "create sequence refused",
        "create function refuse() returns trigger language plpgsql as
         $$ begin perform nextval('refused'); raise 'no space is left'; end $$",
        "create trigger full_disk before delete on mail for each row execute function refuse()",
    ] {
        sqlx::query(statement).execute(&house.db.pool).await.expect("a full disk");
    }
    house.sign_up("ada").await.expect("signed up");
    house.mail("ada", "is your Troupe code").await;
    let folder = house.mail_config().mail_dir.expect("a folder");
    let letters = || std::fs::read_dir(&folder).expect("read").count();
    for letter in std::fs::read_dir(&folder).expect("read") {
        std::fs::remove_file(letter.expect("a letter").path()).expect("taken out");
    }
    // A sequence counts also what is rolled back.
    let refused = async || {
        let last = sqlx::query_scalar::<_, i64>("select last_value from refused");
        last.fetch_one(&house.db.pool).await.expect("counted")
    };
    let before = refused().await;
    eventually(|| async { (refused().await > before + 2).then_some(()) }).await;
    assert_eq!(letters(), 0, "it was delivered once");

    sqlx::query("drop trigger full_disk on mail").execute(&house.db.pool).await.expect("space");
    house.sign_up("bea").await.expect("signed up");
    house.mail("bea", "is your Troupe code").await;
    assert_eq!(letters(), 1, "what was delivered is forgotten");
}
