//! Withdrawing within 14 days, in two steps.

use kit::{
    error::Failure,
    testing::{as_user, eventually, published},
};
use proto::{
    billing::v1::{
        BeginWithdrawalRequest, BeginWithdrawalResponse, ConfirmWithdrawalRequest, ConfirmWithdrawalResponse,
        Period, Plan, ReceiptKind, SubscriptionStatus, subscriptions_client::SubscriptionsClient,
    },
    events::v1::{EntitlementChanged, MailRequested},
};
use tonic::Status;
use uuid::Uuid;

use crate::support::{House, house};

async fn begin(house: &House, token: &str) -> Result<BeginWithdrawalResponse, Status> {
    let mut ask = SubscriptionsClient::new(house.channel());
    Ok(as_user(token, ask.begin_withdrawal(BeginWithdrawalRequest {})).await?.into_inner())
}

async fn confirm(house: &House, token: &str, id: &str) -> Result<ConfirmWithdrawalResponse, Status> {
    let mut ask = SubscriptionsClient::new(house.channel());
    let request = ConfirmWithdrawalRequest { withdrawal_id: id.into() };
    Ok(as_user(token, ask.confirm_withdrawal(request)).await?.into_inner())
}

#[tokio::test]
async fn what_was_not_used_goes_back_and_the_subscription_ends() {
    let house = house().await;
    let seen = published(&house.common, &["billing.#"]).await;
    let (id, token) = house.subscriber().await;
    house.reserve(&token, Uuid::now_v7(), 390).await.expect("enough coins");
    assert!(house.subscription(&token).await.withdrawable_until.is_some());

    let told = begin(&house, &token).await.expect("within 14 days");
    assert!((865..=871).contains(&told.refund), "one day of about thirty is used: {}", told.refund);
    assert!(told.statement.contains("$8.") && told.statement.contains("ends at once"), "{}", told.statement);
    assert!(house.entitlement(&token).await.can_create, "the first step changes nothing");

    let done = confirm(&house, &token, &told.withdrawal_id).await.expect("confirmed");
    let receipt = done.receipt.expect("a durable receipt");
    assert_eq!((receipt.kind(), receipt.amount), (ReceiptKind::Withdrawal, -i64::from(told.refund)));
    assert_eq!(done.subscription.expect("always one").status(), SubscriptionStatus::Inactive);
    assert!(!house.entitlement(&token).await.can_create);
    let balance = house.balance(&token).await;
    assert_eq!((balance.available, balance.reserved), (0, 390), "what is left is taken back, never more");
    seen.wait::<EntitlementChanged>("billing.entitlement.changed", |e| {
        e.user_id == id.to_string() && e.status == "inactive"
    })
    .await;
    let mail = seen.wait::<MailRequested>("billing.mail.requested", |m| m.template == "withdrawal").await;
    assert_eq!(mail.params["number"], receipt.number);

    let again = confirm(&house, &token, &told.withdrawal_id).await.expect("the same answer");
    assert_eq!(again.receipt.expect("the same").number, receipt.number);
    assert_eq!(house.receipts(&token).await.len(), 2, "nothing goes back twice");
    house.told().await;
    assert!(house.mandates().await.is_empty(), "the provider does not charge again");
    let over = begin(&house, &token).await.expect_err("nothing is left");
    assert_eq!(Failure::from_status(&over).reason, "withdrawal_closed");
}

#[tokio::test]
async fn after_fourteen_days_it_is_closed() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let told = begin(&house, &token).await.expect("in time");
    house.sql("update subscription set started_at = started_at - interval '14 days'").await;
    for late in [
        begin(&house, &token).await.map(drop).expect_err("late"),
        confirm(&house, &token, &told.withdrawal_id).await.map(drop).expect_err("late"),
    ] {
        assert_eq!(Failure::from_status(&late).reason, "withdrawal_closed");
    }
    assert!(house.subscription(&token).await.withdrawable_until.is_none());
    assert!(house.entitlement(&token).await.can_create);
}

#[tokio::test]
async fn only_ones_own_withdrawal_can_be_confirmed() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let told = begin(&house, &token).await.expect("in time");
    let (_, bea) = house.issuer.user("bea");
    for (who, id) in
        [(&bea, told.withdrawal_id.as_str()), (&token, "nonsense"), (&token, &Uuid::now_v7().to_string())]
    {
        let unknown = confirm(&house, who, id).await.expect_err("not there");
        assert_eq!(Failure::from_status(&unknown).reason, "withdrawal_not_found");
    }
    let never = begin(&house, &bea).await.expect_err("never paid");
    assert_eq!(Failure::from_status(&never).reason, "not_subscribed");
}

#[tokio::test]
async fn two_confirmations_at_once_are_one() {
    let house = house().await;
    let (_, token) = house.issuer.user("ada");
    house.pays(&token, Plan::Deluxe, Period::Yearly).await;
    let told = begin(&house, &token).await.expect("in time");
    assert!((14_850..=14_860).contains(&told.refund), "one day of 365 is used: {}", told.refund);
    let (a, b) = tokio::join!(
        confirm(&house, &token, &told.withdrawal_id),
        confirm(&house, &token, &told.withdrawal_id)
    );
    let number =
        |r: Result<ConfirmWithdrawalResponse, Status>| r.expect("answered").receipt.expect("one").number;
    assert_eq!(number(a), number(b));
    assert_eq!(house.receipts(&token).await.len(), 2);
}

#[tokio::test]
async fn what_was_paid_since_it_was_told_goes_back_too() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let told = begin(&house, &token).await.expect("in time");
    house.charge_now().await;
    eventually(|| async { (house.receipts(&token).await.len() == 2).then_some(()) }).await;
    let done = confirm(&house, &token, &told.withdrawal_id).await.expect("confirmed");
    let back = done.receipt.expect("one").amount;
    assert_eq!(back, -i64::from(told.refund) - 900, "the renewal has not begun");
}

#[tokio::test]
async fn what_nobody_paid_or_confirmed_is_forgotten_after_a_month() {
    let house = house().await;
    let (_, token) = house.subscriber().await;
    let old = begin(&house, &token).await.expect("in time");
    house.choose(&token, Plan::Deluxe, "").await.expect("chosen");
    house.sql("update withdrawal set begun_at = begun_at - interval '31 days'").await;
    house.sql("update checkout set expires_at = expires_at - interval '31 days'").await;
    let recent = begin(&house, &token).await.expect("in time");
    house.choose(&token, Plan::Deluxe, "").await.expect("chosen");

    let house = house.restart().await;
    let left = async |statement: &'static str| -> i64 {
        sqlx::query_scalar(statement).fetch_one(&house.db.pool).await.expect("a count")
    };
    // The house before may have swept the one and not yet the other.
    for swept in ["select count(*) from withdrawal", "select count(*) from checkout where state = 'open'"] {
        eventually(|| async { (left(swept).await == 1).then_some(()) }).await;
    }
    assert_eq!(left("select count(*) from checkout where state = 'paid'").await, 1, "what was paid is kept");
    let gone = confirm(&house, &token, &old.withdrawal_id).await.expect_err("forgotten");
    assert_eq!(Failure::from_status(&gone).reason, "withdrawal_not_found");
    confirm(&house, &token, &recent.withdrawal_id).await.expect("confirmed");
}
