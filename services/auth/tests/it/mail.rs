use kit::testing::{eventually, publish, publish_as, published};
use proto::{
    auth::v1::{ListMailRequest, mailbox_client::MailboxClient},
    events::v1::{MailRequested, UserChanged, mail_requested::To},
};
use uuid::Uuid;

use crate::support::{email, house};

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
