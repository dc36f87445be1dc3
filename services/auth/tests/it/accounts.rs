use kit::testing::{as_user, eventually, published};
use proto::{
    auth::v1::{ForgotPasswordRequest, RenewSessionRequest, ResendCodeRequest, get_profile_response::View},
    events::v1::UserChanged,
};
use tonic::Code;

use crate::support::{PASSWORD, email, house, reason, told};

#[tokio::test]
async fn from_sign_up_to_logout() {
    let house = house().await;
    let seen = published(&house.common, &["auth.#"]).await;
    let id = house.sign_up("Ada").await.expect("signed up");
    let event = seen.wait::<UserChanged>("auth.user.registered", |u| u.user_id == id).await;
    assert_eq!(event.username, "Ada");

    let unverified = house.log_in("ada", PASSWORD).await.expect_err("not verified yet");
    assert_eq!(
        (unverified.code(), reason(&unverified).as_str()),
        (Code::PermissionDenied, "email_unverified")
    );
    let wrong = house.log_in("ada", "Footlights2").await.expect_err("a wrong password tells nothing else");
    assert_eq!(reason(&wrong), "credentials_wrong");

    let code = house.code("ada").await;
    house.verify(Some("ada"), &code.to_lowercase()).await.expect("the case does not matter");
    let session = house.log_in("ADA", PASSWORD).await.expect("logged in, whatever the case");
    let own = session.profile.expect("the own profile");
    assert_eq!(own.email, email("Ada"));
    let device = &own.devices[0];
    assert_eq!(
        (device.browser.as_str(), device.location.as_str(), device.current),
        ("Firefox", "Brussels, Europe", true)
    );

    let Some(View::Own(_)) = house.profile(Some(&session.token), "ada").await.expect("found").view else {
        panic!("the own profile is the caller's");
    };
    house.log_out(&session.token).await;
    eventually(|| async {
        let refused = house.profile(Some(&session.token), "ada").await.err()?;
        (refused.code() == Code::Unauthenticated).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_sign_up_is_told_the_first_thing_that_is_wrong() {
    let house = house().await;
    let told_of = async |mail: &str, password: &str, name: &str| {
        told(&house.sign_up_with(mail, password, name).await.expect_err("refused"))
    };
    assert_eq!(told_of("", "", "").await, "Must fill out all fields!");
    assert_eq!(told_of("a@b", "short", "!").await, "Invalid email format!");
    assert_eq!(told_of("a@b.co", "Ab1", "!").await, "Password is too short!");
    assert_eq!(told_of("a@b.co", "abcdefg1", "!").await, "Must contain a capital!");
    assert_eq!(told_of("a@b.co", "Abcdefgh", "!").await, "Must contain a number!");
    assert_eq!(told_of("a@b.co", PASSWORD, "admin").await, "This username is reserved.");
    for guessed in ["Password1", "Troupe2026", "Wrenofely1", "Margarethale2"] {
        let easy = told_of("margarethale@b.co", guessed, "wrenofely").await;
        assert_eq!(easy, "Password is too easy to guess!", "{guessed}");
    }

    house.sign_up("ada").await.expect("signed up");
    let same_mail = house.sign_up_with("ADA@example.org", PASSWORD, "other").await.expect_err("taken");
    assert_eq!(reason(&same_mail), "email_taken");
    let same_name = house.sign_up_with("x@example.org", PASSWORD, "ADA").await.expect_err("taken");
    assert_eq!(reason(&same_name), "username_taken");
}

#[tokio::test]
async fn a_code_dies_after_five_wrong_tries_and_a_new_one_can_be_had() {
    let house = house().await;
    house.sign_up("ada").await.expect("signed up");
    let first = house.code("ada").await;
    for _ in 0..5 {
        let wrong = house.verify(Some("ada"), "!!!!!!").await.expect_err("wrong");
        assert_eq!(reason(&wrong), "code_wrong");
    }
    let dead = house.verify(Some("ada"), &first).await.expect_err("too late for the right one");
    assert_eq!(reason(&dead), "code_expired");

    house
        .accounts()
        .resend_code(ResendCodeRequest { email: email("ada"), ip: String::new() })
        .await
        .expect("sent");
    let second = eventually(|| async {
        let code = house.code("ada").await;
        (code != first).then_some(code)
    })
    .await;
    assert_eq!(told(&house.verify(None, "123").await.expect_err("too short")), "Enter full code.");
    house.verify(None, &second).await.expect("also without the address");
    house.log_in("ada", PASSWORD).await.expect("verified");
}

#[tokio::test]
async fn a_new_code_is_the_only_one_that_counts_and_counts_once() {
    let house = house().await;
    for name in ["ada", "bea"] {
        house.sign_up(name).await.expect("signed up");
    }
    let (first, hers) = (house.code("ada").await, house.code("bea").await);
    let again = ResendCodeRequest { email: email("ada"), ip: String::new() };
    house.accounts().resend_code(again).await.expect("sent");
    let second = eventually(|| async {
        let code = house.code("ada").await;
        (code != first).then_some(code)
    })
    .await;
    for (what, code) in [("the one before", &first), ("somebody else's", &hers)] {
        let refused = house.verify(Some("ada"), code).await.expect_err(what);
        assert_eq!(reason(&refused), "code_wrong", "{what}");
    }
    house.verify(None, &first).await.expect_err("nor is it anybody else's");
    house.log_in("ada", PASSWORD).await.expect_err("nothing has verified her");
    house.verify(Some("ada"), &second).await.expect("hers, and the newest");
    house.verify(Some("ada"), &second).await.expect_err("it was used");
    house.log_in("ada", PASSWORD).await.expect("verified");
}

#[tokio::test]
async fn a_password_is_never_too_old() {
    let house = house().await;
    house.member("ada").await;
    for past in [
        "update account set created_at = now() - interval '10 years'",
        "update session set created_at = now() - interval '10 years'",
    ] {
        sqlx::query(past).execute(&house.db.pool).await.expect("time passes");
    }
    let session = house.log_in("ada", PASSWORD).await.expect("it opens as it did");
    house.profile(Some(&session.token), "ada").await.expect("and nothing is asked first");
}

#[tokio::test]
async fn nobody_learns_who_has_an_account() {
    let house = house().await;
    house.member("ada").await;
    for name in ["ada", "nobody"] {
        let forgot = ForgotPasswordRequest { email: email(name), ip: String::new() };
        house.accounts().forgot_password(forgot).await.expect("the same answer");
        let resend = ResendCodeRequest { email: email(name), ip: String::new() };
        house.accounts().resend_code(resend).await.expect("the same answer");
        let wrong = house.log_in(name, "Wrong1234").await.expect_err("the same answer");
        assert_eq!((wrong.code(), reason(&wrong).as_str()), (Code::Unauthenticated, "credentials_wrong"));
    }
}

#[tokio::test]
async fn guessing_codes_tells_nobody_who_has_an_account() {
    let house = house().await;
    house.member("ada").await;
    house.sign_up("bea").await.expect("signed up");
    // Verified, waiting for a code, and unknown: the same answers one after the other.
    for name in ["ada", "bea", "nobody"] {
        let mut reasons = Vec::new();
        for _ in 0..6 {
            reasons.push(reason(&house.verify(Some(name), "!!!!!!").await.expect_err("wrong")));
        }
        let wrong_then_dead =
            ["code_wrong", "code_wrong", "code_wrong", "code_wrong", "code_wrong", "code_expired"];
        assert_eq!(reasons, wrong_then_dead, "{name}");
    }
}

#[tokio::test]
async fn who_comes_late_with_the_right_code_is_told_so() {
    let house = house().await;
    house.sign_up("ada").await.expect("signed up");
    let code = house.code("ada").await;
    sqlx::query("update verification set expires_at = now() - interval '1 second'")
        .execute(&house.db.pool)
        .await
        .expect("time passes");
    let late = house.verify(Some("ada"), &code).await.expect_err("too late");
    assert_eq!(reason(&late), "code_expired");
    let wrong = house.verify(Some("ada"), "!!!!!!").await.expect_err("wrong");
    assert_eq!(reason(&wrong), "code_wrong", "as for somebody who is not known");
}

#[tokio::test]
async fn guessing_many_at_once_is_slowed_down_as_well() {
    let house = std::sync::Arc::new(house().await);
    house.member("ada").await;
    let mut guesses = tokio::task::JoinSet::new();
    for n in 0..60 {
        let house = house.clone();
        guesses.spawn(async move {
            let guess = house.log_in("ada", &format!("Wrong{n}234")).await;
            guess.map_or_else(|refused| reason(&refused), |_| "let in".to_owned())
        });
    }
    let reasons = guesses.join_all().await;
    let judged = reasons.iter().filter(|r| *r == "credentials_wrong").count();
    let refused = reasons.iter().filter(|r| *r == "too_many_attempts").count();
    assert_eq!(judged + refused, 60);
    assert!(judged <= 20, "{judged} of 60 guesses were judged");
}

#[tokio::test]
async fn nothing_stays_in_redis_for_ever() {
    let house = house().await;
    house.member("ada").await;
    for name in ["ada", "nobody"] {
        house.verify(Some(name), "!!!!!!").await.expect_err("wrong");
        for _ in 0..6 {
            house.log_in(name, "Wrong1234").await.expect_err("wrong");
        }
        house.reset_request(name).await;
    }
    let client = redis::Client::open(house.common.redis_url.expose()).expect("an address");
    let mut redis = client.get_multiplexed_async_connection().await.expect("Redis");
    let pattern = format!("{}:*", house.common.prefix);
    let keys: Vec<String> = redis::cmd("KEYS").arg(pattern).query_async(&mut redis).await.expect("listed");
    assert!(keys.len() >= 6, "accounts, addresses, codes and mails are counted: {keys:?}");
    for key in keys {
        let left: i64 = redis::cmd("TTL").arg(&key).query_async(&mut redis).await.expect("asked");
        // -2: gone meanwhile.
        assert_ne!(left, -1, "{key} would stay for ever");
    }
}

#[tokio::test]
async fn guessing_is_slowed_down_for_the_account_and_for_nobody_else() {
    let house = house().await;
    house.member("ada").await;
    house.member("bea").await;
    let mut last = String::new();
    for _ in 0..7 {
        last = reason(&house.log_in("ada", "Wrong1234").await.expect_err("wrong"));
    }
    assert_eq!(last, "too_many_attempts");
    let even_right = house.log_in("ada", PASSWORD).await.expect_err("has to wait");
    assert_eq!(reason(&even_right), "too_many_attempts");
    house.log_in("bea", PASSWORD).await.expect("bea has guessed nothing");
}

#[tokio::test]
async fn a_reset_sets_the_password_once_and_ends_every_session() {
    let house = house().await;
    let old = house.member("ada").await;
    let token = house.reset_token("ada").await;
    assert_eq!(told(&house.reset(&token, "short").await.expect_err("refused")), "Password is too short!");
    assert_eq!(
        told(&house.reset("", "Footlights2").await.expect_err("refused")),
        "Missing token. Please resubmit a reset request."
    );
    let easy = house.reset(&token, "Password1").await.expect_err("guessed first");
    assert_eq!(told(&easy), "Password is too easy to guess!");
    house.reset(&token, "Footlights2").await.expect("set: the link is still good");
    let used = house.reset(&token, "Footlights3").await.expect_err("a link is good for one use");
    assert_eq!(reason(&used), "reset_expired");

    eventually(|| async {
        let refused = house.profile(Some(&old), "ada").await.err()?;
        (refused.code() == Code::Unauthenticated).then_some(())
    })
    .await;
    house.log_in("ada", PASSWORD).await.expect_err("the old password");
    let new = house.log_in("ada", "Footlights2").await.expect("the new password").token;
    house.profile(Some(&new), "ada").await.expect("a login in the same second holds");
}

#[tokio::test]
async fn a_session_can_be_renewed_for_thirty_days() {
    let house = house().await;
    let token = house.member("ada").await;
    let renewed =
        as_user(&token, house.accounts().renew_session(RenewSessionRequest {})).await.expect("renewed");
    house.profile(Some(&renewed.into_inner().token), "ada").await.expect("the new token holds");

    sqlx::query("update session set created_at = now() - interval '31 days'")
        .execute(&house.db.pool)
        .await
        .expect("time passes");
    let late =
        as_user(&token, house.accounts().renew_session(RenewSessionRequest {})).await.expect_err("too old");
    assert_eq!(late.code(), Code::Unauthenticated);
}

#[tokio::test]
async fn asking_for_mail_leaves_the_same_traces_for_everybody() {
    let house = house().await;
    house.member("ada").await;
    // Nothing but the wish is written before the answer: what it takes tells nothing.
    let mut held = house.db.pool.begin().await.expect("a transaction");
    sqlx::query("lock table account in access exclusive mode").execute(&mut *held).await.expect("locked");
    for name in ["ada", "nobody"] {
        house.reset_request(name).await;
        let resend = ResendCodeRequest { email: email(name), ip: String::new() };
        house.accounts().resend_code(resend).await.expect("the same answer");
    }
    held.rollback().await.expect("let go");
    house.mail("ada", "Set a new").await;
}

#[tokio::test]
async fn what_has_run_out_is_swept_away() {
    let house = house().await;
    let token = house.member("ada").await;
    house.sign_up("bea").await.expect("signed up");
    house.reset_token("ada").await;
    house.log_out(&token).await;
    house.log_in("ada", PASSWORD).await.expect("logged in");
    let left = async || -> (i64, i64, i64, i64) {
        sqlx::query_as(
            "select (select count(*) from revocation), (select count(*) from password_reset),
                    (select count(*) from verification), (select count(*) from session)",
        )
        .fetch_one(&house.db.pool)
        .await
        .expect("counted")
    };
    auth::sweep(&house.db.pool).await.expect("swept");
    assert_eq!(left().await, (1, 1, 1, 2), "what still counts stays");
    for change in [
        "update revocation set expires_at = now() - interval '1 s'",
        "update password_reset set expires_at = now() - interval '1 s'",
        "update verification set expires_at = now() - interval '25 hours'",
        "update session set ended_at = now() - interval '8 days' where ended_at is not null",
    ] {
        sqlx::query(change).execute(&house.db.pool).await.expect("time passes");
    }
    auth::sweep(&house.db.pool).await.expect("swept");
    assert_eq!(left().await, (0, 0, 0, 1));
}

#[tokio::test]
async fn what_was_given_up_or_done_is_forgotten() {
    let house = house().await;
    // One that may still be delivered, one just given up, one given up a week ago; wishes and erasures alike.
    for row in [
        "insert into mail (id, recipient, subject, body, attempts, available_at) values
            (gen_random_uuid(), 'tried', '', '', 11, now() + interval '1 hour'),
            (gen_random_uuid(), 'new', '', '', 12, now() - interval '6 days'),
            (gen_random_uuid(), 'old', '', '', 12, now() - interval '8 days')",
        "insert into signing_key (kid, sealed, public, signs_from, retires_at) values
            ('late', '', '', now() - interval '30 days', now() - interval '6 days'),
            ('dead', '', '', now() - interval '30 days', now() - interval '8 days')",
        "insert into erasure (user_id, at, done) values
            (gen_random_uuid(), now() - interval '29 days', '{billing,catalog,chat,media}'),
            (gen_random_uuid(), now() - interval '31 days', '{billing,catalog,chat,media}'),
            (gen_random_uuid(), now() - interval '31 days', '{billing,catalog,media}')",
    ] {
        sqlx::query(row).execute(&house.db.pool).await.expect("there");
    }
    auth::sweep(&house.db.pool).await.expect("swept");
    let mails: Vec<String> = sqlx::query_scalar("select recipient from mail order by recipient")
        .fetch_all(&house.db.pool)
        .await
        .expect("listed");
    assert_eq!(mails, ["new", "tried"]);
    let keys: Vec<String> = sqlx::query_scalar("select kid from signing_key where retires_at is not null")
        .fetch_all(&house.db.pool)
        .await
        .expect("listed");
    assert_eq!(keys, ["late"]);
    let erasures: i64 =
        sqlx::query_scalar("select count(*) from erasure").fetch_one(&house.db.pool).await.expect("counted");
    assert_eq!(erasures, 2, "the newer one, and the one that chat has not confirmed");
}

#[tokio::test]
async fn an_address_that_cannot_be_one_is_simply_not_known() {
    let house = house().await;
    for odd in ["a\0@example.com", "İda@example.com", "not an address"] {
        let refused = house.log_in(odd, "Prompt-box-7").await.expect_err("nobody's");
        assert_eq!(reason(&refused), "credentials_wrong", "{odd:?}");
    }
}
