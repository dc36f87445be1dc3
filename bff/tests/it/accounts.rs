use kit::error::Failure;
use proto::auth::v1::{self as pb, LogInResponse, OwnProfile, Profile, SignUpRequest, SignUpResponse};
use serde_json::{Value, json};
use tonic::{Code, Status};

use crate::support::{house, house_with, json, ok};

#[tokio::test]
async fn signing_up_verifying_and_asking_again() {
    let house = house().await;
    house.stage.says("auth.v1.Accounts/SignUp", SignUpResponse { user_id: "1".into() });
    house.stage.says("auth.v1.Accounts/Verify", pb::VerifyResponse {});
    house.stage.says("auth.v1.Accounts/ResendCode", pb::ResendCodeResponse {});
    let form =
        json!({ "email": "ada@example.org", "password": "Curtain1", "username": "ada", "ref": "friend" });
    assert_eq!(ok(house.post("/api/signup", &form)).await["success"], true);
    let sent: SignUpRequest = house.stage.call("auth.v1.Accounts/SignUp").read();
    assert_eq!(
        (sent.username.as_str(), sent.referral.as_str(), sent.ip.as_str()),
        ("ada", "friend", "127.0.0.1")
    );

    ok(house.post("/api/verify", &json!({ "token": "AB12CD", "email": "ada@example.org" }))).await;
    ok(house.post("/api/verify/resend", &json!({ "email": "ada@example.org" }))).await;
}

#[tokio::test]
async fn a_login_opens_the_session_and_shows_the_user() {
    let house = house().await;
    let (id, token) = house.issuer.user("ada");
    let profile = Profile { id: id.to_string(), username: "ada".into(), ..Profile::default() };
    let own = OwnProfile { profile: Some(profile), email: "ada@example.org".into(), ..OwnProfile::default() };
    let opened = LogInResponse { token: token.clone(), expires_at: None, profile: Some(own) };
    house.stage.says("auth.v1.Accounts/LogIn", opened);
    // The other services are away: the login works all the same.
    let body = json!({ "email": "ada@example.org", "password": "Curtain1", "deviceInfo": { "timeZone": "Europe/Brussels" } });
    let answer = ok(house
        .post("/api/login", &body)
        .header("user-agent", "Firefox/146")
        .header("authorization", "Bearer stale"))
    .await;
    assert_eq!(answer["token"], token.as_str());
    assert_eq!(answer["user"]["username"], "ada");
    assert_eq!(answer["user"]["email"], "ada@example.org");
    assert_eq!(answer["user"]["subscriptionPlan"], "free");
    // How many messages were sent is told with the profile, which the web reads next.
    assert!(answer["user"].get("messagesUsed").is_none());
    assert!(house.stage.calls("chat.v1.Chats/GetUsage").is_empty());

    let sent: pb::LogInRequest = house.stage.call("auth.v1.Accounts/LogIn").read();
    let device = sent.device.expect("a device");
    assert_eq!((device.user_agent.as_str(), device.time_zone.as_str()), ("Firefox/146", "Europe/Brussels"));
    // What is asked on the way is asked as the one who has just logged in.
    let asked = house.stage.calls("billing.v1.Subscriptions/GetSubscription");
    assert_eq!(asked[0].header("authorization"), Some(format!("Bearer {token}").as_str()));
}

#[tokio::test]
async fn an_unverified_login_is_told_in_the_words_that_the_web_looks_for() {
    let house = house().await;
    house
        .stage
        .refuses("auth.v1.Accounts/LogIn", Failure::new(Code::PermissionDenied, "email_unverified", "x"));
    let (status, body) = json(house.post("/api/login", &json!({ "email": "a@b.cd", "password": "x" }))).await;
    assert_eq!((status, body["msg"].as_str()), (403, Some("Please verify your email!")));
}

#[tokio::test]
async fn forgot_and_reset_answer_flat_and_under_data() {
    let house = house().await;
    house.stage.says("auth.v1.Accounts/ForgotPassword", pb::ForgotPasswordResponse {});
    let done = ok(house.post("/api/forgot-password", &json!({ "email": "ada@example.org" }))).await;
    assert_eq!(done["success"], true);
    assert_eq!(done["data"], json!({ "success": true, "msg": done["msg"] }));

    house
        .stage
        .refuses("auth.v1.Accounts/ResetPassword", Failure::new(Code::InvalidArgument, "reset_expired", "x"));
    let (status, refused) =
        json(house.post("/api/reset-password", &json!({ "password": "Curtain1", "token": "t" }))).await;
    assert_eq!(status, 400);
    assert_eq!(refused["success"], false);
    assert_eq!(refused["data"], json!({ "success": false, "msg": refused["msg"] }));

    let broken = house
        .request(reqwest::Method::POST, "/api/forgot-password")
        .header("content-type", "application/json")
        .body("{");
    let (status, refused) = json(broken).await;
    assert_eq!((status, refused["data"]["success"].as_bool()), (400, Some(false)));
}

#[tokio::test]
async fn renewing_and_leaving_are_done_with_the_session_in_hand() {
    let house = house().await;
    let ada = house.sign_in("ada");
    house.stage.says(
        "auth.v1.Accounts/RenewSession",
        pb::RenewSessionResponse { token: "next".into(), expires_at: None },
    );
    house.stage.says("auth.v1.Accounts/LogOut", pb::LogOutResponse {});
    let renewed = ok(house.post("/api/session/renew", &json!({})).bearer_auth(&ada.token)).await;
    assert_eq!(renewed, json!({ "success": true, "token": "next" }));
    ok(house.request(reqwest::Method::POST, "/api/logout").bearer_auth(&ada.token)).await;
    let call = house.stage.call("auth.v1.Accounts/LogOut");
    assert_eq!(call.header("authorization"), Some(format!("Bearer {}", ada.token).as_str()));
    assert!(call.header("grpc-timeout").is_some(), "a deadline goes with the call");
}

#[tokio::test]
async fn other_devices_are_signed_out_by_the_password_and_each_try_of_one_is_counted() {
    let house = house_with(|config| {
        config.common.dev = false;
        config.rates.rate_accounts = "3/3600".parse().expect("a rate");
    })
    .await;
    let ada = house.sign_in("ada");
    house.stage.says("auth.v1.Security/ListDevices", pb::ListDevicesResponse::default());
    house.stage.says("auth.v1.Security/RevokeDevice", pb::RevokeDeviceResponse {});
    house.stage.says("auth.v1.Security/RevokeOtherDevices", pb::RevokeOtherDevicesResponse { revoked: 2 });
    let sign_out = |path: &str, body: &Value| house.post(path, body).bearer_auth(&ada.token);
    let typed = json!({ "password": "Curtain1" });

    ok(sign_out("/api/devices/d1/sign-out", &typed)).await;
    let sent: pb::RevokeDeviceRequest = house.stage.call("auth.v1.Security/RevokeDevice").read();
    assert_eq!((sent.id.as_str(), sent.password.as_str()), ("d1", "Curtain1"));
    ok(sign_out("/api/devices/sign-out", &typed)).await;
    let sent: pb::RevokeOtherDevicesRequest = house.stage.call("auth.v1.Security/RevokeOtherDevices").read();
    assert_eq!(sent.password, "Curtain1");

    let wrong = Failure::new(Code::InvalidArgument, "password_wrong", "x");
    house.stage.refuses("auth.v1.Security/RevokeOtherDevices", wrong);
    let (status, body) = json(sign_out("/api/devices/sign-out", &json!({}))).await;
    assert_eq!((status, body["code"].as_str()), (400, Some("password_wrong")));
    let (status, body) = json(sign_out("/api/devices/d1/sign-out", &typed)).await;
    assert_eq!((status, body["code"].as_str()), (429, Some("rate_limited")));
    // To look at them is no try.
    ok(house.get("/api/devices").bearer_auth(&ada.token)).await;
}

#[tokio::test]
async fn too_many_tries_say_how_long_to_wait() {
    let house = house().await;
    let wait = std::time::Duration::from_secs(40);
    let failure = Failure::new(Code::ResourceExhausted, "too_many_attempts", "x").retry_after(wait);
    house.stage.refuses("auth.v1.Accounts/LogIn", Status::from(failure));
    let answer =
        house.post("/api/login", &json!({ "email": "a", "password": "b" })).send().await.expect("an answer");
    assert_eq!(answer.status(), 429);
    assert_eq!(crate::support::header(&answer, "retry-after"), "40");
}
