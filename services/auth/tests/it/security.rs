use auth::{Role, RoleChange};
use kit::testing::{as_user, eventually};
use proto::auth::v1::{
    BeginTwoStepRequest, ConfirmTwoStepRequest, EndTwoStepRequest, ListDevicesRequest,
    RenewRecoveryCodesRequest, RenewSessionRequest, RevokeDeviceRequest, RevokeOtherDevicesRequest,
    UpdatePasswordRequest,
};
use tonic::Code;

use crate::support::{House, PASSWORD, house, otp, reason, roles, told};

pub async fn update(house: &House, token: &str, current: &str, new: &str) -> Result<(), tonic::Status> {
    let request = UpdatePasswordRequest { current_password: current.into(), new_password: new.into() };
    as_user(token, house.security().update_password(request)).await.map(drop)
}

#[tokio::test]
async fn a_new_password_ends_all_sessions_but_this_one() {
    let house = house().await;
    let here = house.member("ada").await;
    let there = house.log_in("ada", PASSWORD).await.expect("logged in").token;

    let weak = update(&house, &here, PASSWORD, "footlights").await.expect_err("weak");
    assert_eq!(
        told(&weak),
        "Password must include an uppercase character and a number, and be at least 8 characters long."
    );
    let wrong = update(&house, &here, "Wrong1234", "Footlights2").await.expect_err("wrong");
    assert_eq!((wrong.code(), reason(&wrong).as_str()), (Code::InvalidArgument, "password_wrong"));
    let easy = update(&house, &here, PASSWORD, "Password1").await.expect_err("guessed first");
    assert_eq!(told(&easy), "Password is too easy to guess!");
    update(&house, &here, PASSWORD, "Footlights2").await.expect("changed");

    house.refused(&there).await;
    house.own(&here).await;
    house.log_in("ada", PASSWORD).await.expect_err("the old one");
    house.log_in("ada", "Footlights2").await.expect("the new one");
}

#[tokio::test]
async fn who_has_found_an_open_session_cannot_guess_the_password() {
    let house = house().await;
    let token = house.member("ada").await;
    let mut last = String::new();
    for _ in 0..7 {
        last = reason(&update(&house, &token, "Wrong1234", "Footlights2").await.expect_err("wrong"));
    }
    assert_eq!(last, "too_many_attempts");
}

#[tokio::test]
async fn devices_are_listed_and_sent_away_by_their_owner_alone() {
    let house = house().await;
    let here = house.member("ada").await;
    let there = house.log_in("ada", PASSWORD).await.expect("logged in").token;
    let other = house.member("bea").await;
    let list = async |token: &str| {
        let listed = as_user(token, house.security().list_devices(ListDevicesRequest {})).await;
        listed.expect("listed").into_inner().devices
    };
    let devices = list(&here).await;
    assert_eq!(devices.len(), 2);
    assert_eq!(devices.iter().filter(|d| d.current).count(), 1);
    let far = devices.iter().find(|d| !d.current).expect("the other one").id.clone();

    let revoke = async |token: &str, id: &str, password: &str| {
        let request = RevokeDeviceRequest { id: id.into(), password: password.into() };
        as_user(token, house.security().revoke_device(request)).await
    };
    for (token, id) in [(&other, far.as_str()), (&here, "nonsense")] {
        let refused = revoke(token, id, PASSWORD).await.expect_err("not theirs");
        assert_eq!(reason(&refused), "device_not_found");
    }
    // Who has found an open session sends nobody away.
    for (password, why) in [("Wrong1234", "password_wrong"), ("", "invalid")] {
        assert_eq!(reason(&revoke(&here, &far, password).await.expect_err(why)), why);
    }
    house.own(&there).await;
    revoke(&here, &far, PASSWORD).await.expect("sent away");
    house.refused(&there).await;
    assert_eq!(list(&here).await.len(), 1);

    for _ in 0..2 {
        house.log_in("ada", PASSWORD).await.expect("logged in");
    }
    let revoke_others = async |password: &str| {
        let request = RevokeOtherDevicesRequest { password: password.into() };
        as_user(&here, house.security().revoke_other_devices(request)).await
    };
    for (password, why) in [("Wrong1234", "password_wrong"), ("", "invalid")] {
        assert_eq!(reason(&revoke_others(password).await.expect_err(why)), why);
    }
    assert_eq!(list(&here).await.len(), 3);
    assert_eq!(revoke_others(PASSWORD).await.expect("sent away").into_inner().revoked, 2);
    house.own(&here).await;
    house.own(&other).await;
}

#[tokio::test]
async fn a_login_takes_two_steps_once_that_is_confirmed() {
    let house = house().await;
    let token = house.member("ada").await;
    let begin = |password: &str| BeginTwoStepRequest { password: password.into() };
    let wrong = as_user(&token, house.security().begin_two_step(begin("Wrong1234"))).await.expect_err("no");
    assert_eq!(reason(&wrong), "password_wrong");
    let begun = as_user(&token, house.security().begin_two_step(begin(PASSWORD))).await.expect("begun");
    assert!(begun.get_ref().uri.starts_with("otpauth://totp/Troupe:ada?"), "{}", begun.get_ref().uri);
    let confirm = ConfirmTwoStepRequest { code: "000000x".into() };
    let wrong = as_user(&token, house.security().confirm_two_step(confirm)).await.expect_err("wrong");
    assert_eq!((wrong.code(), reason(&wrong).as_str()), (Code::InvalidArgument, "step_code_wrong"));
    house.log_in("ada", PASSWORD).await.expect("one step, as long as nothing is confirmed");

    let (secret, recovery) = house.two_step(&token).await;
    assert_eq!(recovery.len(), 10);
    assert!(house.own(&token).await.two_step);
    let again = as_user(&token, house.security().begin_two_step(begin(PASSWORD))).await.expect_err("on");
    assert_eq!(reason(&again), "two_step_on");

    let missing = house.log_in("ada", PASSWORD).await.expect_err("one step");
    assert_eq!((missing.code(), reason(&missing).as_str()), (Code::Unauthenticated, "otp_required"));
    let wrong = house.log_in_with("ada", "Wrong1234", Some(&otp(&secret, 1))).await.expect_err("wrong");
    assert_eq!(reason(&wrong), "credentials_wrong", "the password is judged first");
    let code = otp(&secret, 1);
    house.log_in_with("ada", PASSWORD, Some(&code)).await.expect("two steps");
    let twice = house.log_in_with("ada", PASSWORD, Some(&code)).await.expect_err("used");
    assert_eq!(reason(&twice), "otp_wrong", "a code is good for once");

    let loud = recovery[0].to_uppercase();
    house.log_in_with("ada", PASSWORD, Some(&loud)).await.expect("a recovery code");
    let twice = house.log_in_with("ada", PASSWORD, Some(&loud)).await.expect_err("used");
    assert_eq!(reason(&twice), "otp_wrong");
}

/// A login looks at the account before it hashes, which takes its time.
#[tokio::test]
async fn nobody_gets_in_without_a_second_step_that_was_turned_on_meanwhile() {
    let house = house().await;
    let token = house.member("ada").await;
    house.two_step(&token).await;
    let set = async |sql: &'static str| sqlx::query(sql).execute(&house.db.pool).await.expect("done");
    set("update two_step set confirmed_at = null").await;

    // The session waits to be written, until the second step is on.
    let mut held = house.db.pool.begin().await.expect("begun");
    sqlx::query("lock table session in access exclusive mode").execute(&mut *held).await.expect("held");
    let turned_on = async {
        eventually(|| async {
            let waits =
                "select exists (select from pg_locks where not granted and relation = 'session'::regclass)";
            let waits: bool = sqlx::query_scalar(waits).fetch_one(&house.db.pool).await.ok()?;
            waits.then_some(())
        })
        .await;
        set("update two_step set confirmed_at = now()").await;
        held.commit().await.expect("let go");
    };
    let (refused, ()) = tokio::join!(house.log_in("ada", PASSWORD), turned_on);
    assert_eq!(reason(&refused.expect_err("refused")), "otp_required");
    let sessions: i64 =
        sqlx::query_scalar("select count(*) from session").fetch_one(&house.db.pool).await.expect("counted");
    assert_eq!(sessions, 1, "the one that turned it on");
}

#[tokio::test]
async fn guessing_the_second_step_is_slowed_down_although_the_password_is_right() {
    let house = house().await;
    let token = house.member("ada").await;
    house.two_step(&token).await;
    let mut last = String::new();
    for _ in 0..7 {
        last = reason(&house.log_in_with("ada", PASSWORD, Some("none-none")).await.expect_err("wrong"));
    }
    assert_eq!(last, "too_many_attempts");
}

#[tokio::test]
async fn one_code_lets_one_of_many_in() {
    let house = std::sync::Arc::new(house().await);
    let token = house.member("ada").await;
    let (secret, _) = house.two_step(&token).await;
    let code = otp(&secret, 1);
    let mut logins = tokio::task::JoinSet::new();
    for _ in 0..5 {
        let (house, code) = (house.clone(), code.clone());
        logins.spawn(async move { house.log_in_with("ada", PASSWORD, Some(&code)).await.is_ok() });
    }
    assert_eq!(logins.join_all().await.into_iter().filter(|ok| *ok).count(), 1);
}

/// Whoever can write to the database cannot put a second step of their own in the place of another's.
#[tokio::test]
async fn a_second_step_that_was_moved_or_changed_lets_nobody_in() {
    let house = house().await;
    let (ada, eve) = (house.member("ada").await, house.member("eve").await);
    let ((hers, _), (own, _)) = (house.two_step(&ada).await, house.two_step(&eve).await);
    let sql = async |statement: &'static str| {
        sqlx::query(statement).execute(&house.db.pool).await.expect(statement);
    };
    sql("create table kept as select user_id, sealed from two_step").await;
    sql("update two_step set sealed = other.sealed from kept other where other.user_id <> two_step.user_id")
        .await;
    for (what, secret) in [("eve's own", &own), ("ada's", &hers)] {
        house.log_in_with("ada", PASSWORD, Some(&otp(secret, 1))).await.expect_err(what);
    }
    sql("update two_step set sealed = set_byte(kept.sealed, 20, get_byte(kept.sealed, 20) # 1)
         from kept where kept.user_id = two_step.user_id")
    .await;
    house.log_in_with("ada", PASSWORD, Some(&otp(&hers, 1))).await.expect_err("one bit is another");
    sql("update two_step set sealed = kept.sealed from kept where kept.user_id = two_step.user_id").await;
    house.log_in_with("ada", PASSWORD, Some(&otp(&hers, 1))).await.expect("as it was");
}

#[tokio::test]
async fn new_recovery_codes_kill_the_old_ones_and_the_second_step_can_be_ended() {
    let house = house().await;
    let token = house.member("ada").await;
    let renew = |code: &str| RenewRecoveryCodesRequest { code: code.into() };
    let off = as_user(&token, house.security().renew_recovery_codes(renew("x"))).await.expect_err("off");
    assert_eq!(reason(&off), "two_step_off");
    let (_, old) = house.two_step(&token).await;
    let new = as_user(&token, house.security().renew_recovery_codes(renew(&old[0]))).await.expect("renewed");
    let new = new.into_inner().recovery_codes;
    house.log_in_with("ada", PASSWORD, Some(&old[1])).await.expect_err("dead");

    let end = |code: &str| EndTwoStepRequest { password: PASSWORD.into(), code: code.into() };
    let wrong = as_user(&token, house.security().end_two_step(end(&old[2]))).await.expect_err("dead");
    assert_eq!(reason(&wrong), "step_code_wrong");
    as_user(&token, house.security().end_two_step(end(&new[0]))).await.expect("ended");
    house.log_in("ada", PASSWORD).await.expect("one step again");
}

#[tokio::test]
async fn a_role_counts_only_behind_the_second_step() {
    let house = house().await;
    let token = house.member("ada").await;
    let change = RoleChange { database: house.db.target(), username: "Ada".into(), role: Role::Admin };
    RoleChange { username: "nobody".into(), ..change.clone() }.grant().await.expect_err("nobody");
    change.grant().await.expect("granted");
    let plain = house.log_in("ada", PASSWORD).await.expect("logged in");
    assert!(roles(&plain.token).is_empty(), "one step");
    assert_eq!(plain.profile.expect("own").roles, ["admin"]);

    let (secret, recovery) = house.two_step(&token).await;
    let admin = house.log_in_with("ada", PASSWORD, Some(&otp(&secret, 1))).await.expect("two steps").token;
    assert_eq!(roles(&admin), ["admin"]);
    let renew = async |token: &str| {
        let renewed = as_user(token, house.accounts().renew_session(RenewSessionRequest {})).await;
        roles(&renewed.expect("renewed").into_inner().token)
    };
    assert_eq!(renew(&admin).await, ["admin"]);
    assert!(renew(&token).await.is_empty(), "a session of one step stays one");

    let end = EndTwoStepRequest { password: PASSWORD.into(), code: recovery[0].clone() };
    let refused = as_user(&admin, house.security().end_two_step(end)).await.expect_err("an admin");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::PermissionDenied, "two_step_required"));

    change.revoke().await.expect("taken back");
    house.refused(&admin).await;
    let after = house.log_in_with("ada", PASSWORD, Some(&recovery[0])).await.expect("logged in").token;
    assert!(roles(&after).is_empty());
}
