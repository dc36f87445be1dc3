use auth::{Reinstate, Role, RoleChange, Suspend};
use kit::{
    client::Channel,
    error::Failure,
    testing::{as_user, eventually, publish, published},
};
use proto::{
    auth::v1::{ReinstateUserRequest, SuspendUserRequest, discipline_client::DisciplineClient},
    events::v1::{ReportDecided, UserSuspended},
};
use tonic::Code;

use crate::support::{House, PASSWORD, house, otp, reason};

fn discipline(house: &House) -> DisciplineClient<Channel> {
    DisciplineClient::new(house.channel())
}

/// Somebody with the role, behind the second step.
async fn admin(house: &House) -> String {
    let token = house.member("warden").await;
    let change = RoleChange { database: house.db.target(), username: "warden".into(), role: Role::Admin };
    change.grant().await.expect("granted");
    let (secret, _) = house.two_step(&token).await;
    house.log_in_with("warden", PASSWORD, Some(&otp(&secret, 1))).await.expect("two steps").token
}

fn suspend(user: &str, reason: &str) -> SuspendUserRequest {
    SuspendUserRequest { user_id: user.into(), reason: reason.into() }
}

#[tokio::test]
async fn who_is_suspended_is_out_at_once_and_told_why() {
    let house = house().await;
    let seen = published(&house.common, &["auth.user.#"]).await;
    let admin = admin(&house).await;
    let ada = house.member("ada").await;
    let id = house.own(&ada).await.profile.expect("public").id;

    let plain =
        as_user(&ada, discipline(&house).suspend_user(suspend(&id, "no"))).await.expect_err("no role");
    assert_eq!((plain.code(), reason(&plain).as_str()), (Code::PermissionDenied, "forbidden"));
    let unsaid = as_user(&admin, discipline(&house).suspend_user(suspend(&id, " "))).await.expect_err("why?");
    assert_eq!(unsaid.code(), Code::InvalidArgument);
    let nobody = suspend("0197a000-0000-7000-8000-000000000000", "x");
    let nobody = as_user(&admin, discipline(&house).suspend_user(nobody)).await.expect_err("nobody");
    assert_eq!(reason(&nobody), "user_not_found");

    let ask = || suspend(&id, "Spam in reviews.");
    let first = as_user(&admin, discipline(&house).suspend_user(ask())).await.expect("suspended");
    let second = as_user(&admin, discipline(&house).suspend_user(ask())).await.expect("twice is as once");
    assert_eq!(first.into_inner(), second.into_inner());
    house.refused(&ada).await;
    let event = seen.wait::<UserSuspended>("auth.user.suspended", |e| e.user_id == id).await;
    assert_eq!((event.reason.as_str(), event.version), ("Spam in reviews.", 2));
    assert!(house.mail("ada", "was suspended").await.text.contains("Spam in reviews."));

    let told = house.log_in("ada", PASSWORD).await.expect_err("suspended");
    assert_eq!((told.code(), reason(&told).as_str()), (Code::PermissionDenied, "suspended"));
    assert_eq!(Failure::from_status(&told).meta["reason"], "Spam in reviews.");
    let wrong = house.log_in("ada", "Wrong1234").await.expect_err("wrong");
    assert_eq!(reason(&wrong), "credentials_wrong", "only the owner learns of it");
    assert_eq!(reason(&house.profile(None, "ada").await.expect_err("hidden")), "user_not_found");
    let bea = house.member("bea").await;
    assert_eq!(reason(&house.profile(Some(&bea), "ada").await.expect_err("hidden")), "user_not_found");
    house.profile(Some(&admin), "ADA").await.expect("found by whom the suspension can be ended");

    let back = ReinstateUserRequest { user_id: id.clone() };
    as_user(&admin, discipline(&house).reinstate_user(back)).await.expect("reinstated");
    seen.wait::<UserSuspended>("auth.user.reinstated", |e| e.user_id == id && e.version == 3).await;
    house.log_in("ada", PASSWORD).await.expect("as before");
    house.profile(None, "ada").await.expect("seen again");
}

#[tokio::test]
async fn the_operator_suspends_by_command_and_the_old_state_comes_back() {
    let house = house().await;
    house.sign_up("ada").await.expect("signed up, not verified");
    let mail = house.mail_config();
    let suspend = Suspend {
        database: house.db.target(),
        mail: mail.clone(),
        username: "ADA".into(),
        reason: "A test.".into(),
    };
    suspend.run().await.expect("suspended");
    assert_eq!(reason(&house.log_in("ada", PASSWORD).await.expect_err("no")), "suspended");
    Reinstate { database: house.db.target(), mail, username: "ada".into() }.run().await.expect("reinstated");
    assert_eq!(reason(&house.log_in("ada", PASSWORD).await.expect_err("no")), "email_unverified");
}

#[tokio::test]
async fn a_decision_of_the_moderators_suspends_and_a_granted_appeal_takes_it_back() {
    let house = house().await;
    let ada = house.member("ada").await;
    let id = house.own(&ada).await.profile.expect("public").id;
    let decided = ReportDecided {
        report_id: "r".into(),
        user_id: id,
        decision: "suspend".into(),
        reasons: "Three removed characters.".into(),
        ..Default::default()
    };
    publish(&house.common, "catalog.report.decided", &decided).await;
    house.refused(&ada).await;
    let told = eventually(|| async { house.log_in("ada", PASSWORD).await.err() }).await;
    assert_eq!(Failure::from_status(&told).meta["reason"], "Three removed characters.");

    let granted = ReportDecided { decision: "none".into(), undone: "suspend".into(), ..decided };
    publish(&house.common, "catalog.report.decided", &granted).await;
    eventually(|| async { house.log_in("ada", PASSWORD).await.ok() }).await;
}

#[tokio::test]
async fn who_is_suspended_for_two_things_comes_back_when_both_are_taken_back() {
    let house = house().await;
    let seen = published(&house.common, &["auth.user.#"]).await;
    let ada = house.member("ada").await;
    let id = house.own(&ada).await.profile.expect("public").id;
    let decided = |report: &str, reasons: &str| ReportDecided {
        report_id: report.into(),
        user_id: id.clone(),
        decision: "suspend".into(),
        reasons: reasons.into(),
        ..Default::default()
    };
    let undone = |report: &str| ReportDecided {
        decision: "none".into(),
        undone: "suspend".into(),
        ..decided(report, "A mistake.")
    };
    let tell = async |event: &ReportDecided| {
        publish(&house.common, "catalog.report.decided", event).await;
    };
    let told = async || {
        let refused = house.log_in("ada", PASSWORD).await.err()?;
        Failure::from_status(&refused).meta.get("reason").cloned()
    };
    let is_told = async |reason: &str| {
        eventually(|| async { told().await.filter(|told| told == reason) }).await;
    };

    let causes = async |wanted: i64| {
        eventually(|| async {
            let causes: i64 =
                sqlx::query_scalar("select count(*) from suspension").fetch_one(&house.db.pool).await.ok()?;
            (causes == wanted).then_some(())
        })
        .await;
    };

    tell(&decided("r1", "Copied characters.")).await;
    is_told("Copied characters.").await;
    tell(&decided("r2", "Spam in reviews.")).await;
    causes(2).await;
    // A report that suspended nobody lets nobody in.
    tell(&undone("r3")).await;
    tell(&undone("r1")).await;
    is_told("Spam in reviews.").await;
    tell(&undone("r1")).await;
    tell(&undone("r2")).await;
    eventually(|| async { house.log_in("ada", PASSWORD).await.ok() }).await;
    seen.wait::<UserSuspended>("auth.user.reinstated", |e| e.user_id == id && e.version == 3).await;

    // A moderator's word counts for all, and is not taken back by a report.
    tell(&decided("r4", "Spam again.")).await;
    is_told("Spam again.").await;
    let (database, mail, username) = (house.db.target(), house.mail_config(), String::from("ada"));
    let word = Suspend { database, mail, username, reason: "I have seen it.".into() };
    word.run().await.expect("one more cause");
    tell(&undone("r4")).await;
    is_told("I have seen it.").await;
    tell(&decided("r5", "And again.")).await;
    causes(2).await;
    let (database, mail, username) = (house.db.target(), house.mail_config(), String::from("ada"));
    Reinstate { database, mail, username }.run().await.expect("reinstated");
    house.log_in("ada", PASSWORD).await.expect("whatever it was for");
}

#[tokio::test]
async fn no_login_slips_through_while_somebody_is_suspended() {
    let house = std::sync::Arc::new(house().await);
    house.member("ada").await;
    let suspend = Suspend {
        database: house.db.target(),
        mail: house.mail_config(),
        username: "ada".into(),
        reason: "A test.".into(),
    };
    let mut logins = tokio::task::JoinSet::new();
    for n in 0..8 {
        let (house, suspend) = (house.clone(), suspend.clone());
        logins.spawn(async move {
            if n == 3 {
                suspend.run().await.expect("suspended");
            }
            house.log_in("ada", PASSWORD).await.ok().map(|session| session.token)
        });
    }
    for token in logins.join_all().await.into_iter().flatten() {
        house.refused(&token).await;
    }
    let live: i64 = sqlx::query_scalar("select count(*) from session where ended_at is null")
        .fetch_one(&house.db.pool)
        .await
        .expect("counted");
    assert_eq!(live, 0);
}
