//! What guessing costs, by account and by address.

use kit::testing::{Issuer, common};
use proto::auth::v1::{Device, ForgotPasswordRequest, LogInRequest, ResendCodeRequest, VerifyRequest};
use tonic::Status;

use crate::support::{House, PASSWORD, email, house, house_with, reason};

async fn log_in_from(house: &House, ip: &str, email: &str, password: &str) -> Result<(), Status> {
    let device = Device { user_agent: String::new(), ip: ip.into(), time_zone: String::new() };
    let ask =
        LogInRequest { email: email.into(), password: password.into(), device: Some(device), otp: None };
    house.accounts().log_in(ask).await.map(drop)
}

async fn verify_from(house: &House, ip: &str, email: &str) -> String {
    let ask = VerifyRequest { code: "!!!!!!".into(), email: Some(email.into()), ip: ip.into() };
    reason(&house.accounts().verify(ask).await.expect_err("wrong"))
}

#[tokio::test]
async fn a_household_is_slowed_down_as_one() {
    let common = common(&Issuer::start().await);
    let house = house_with(common, |config| {
        config.common.dev = false;
        config.brakes.address_free_failures = 2;
        config.brakes.address_tries = 2;
    })
    .await;
    let guess = async |ip: &str, n: u8| {
        let who = email(&format!("somebody{n}"));
        reason(&log_in_from(&house, ip, &who, "Wrong1234").await.expect_err("wrong"))
    };
    assert_eq!(guess("2001:db8:1:2::1", 1).await, "credentials_wrong");
    assert_eq!(guess("2001:db8:1:2::2", 2).await, "credentials_wrong");
    assert_eq!(guess("2001:db8:1:2:3:4:5:6", 3).await, "too_many_attempts", "the same /64");
    assert_eq!(guess("2001:db8:1:3::1", 4).await, "credentials_wrong", "the neighbours");

    let code = async |ip: &str, n: u8| verify_from(&house, ip, &email(&format!("nobody{n}"))).await;
    assert_eq!(code("2001:db8:1:2::1", 1).await, "code_wrong");
    assert_eq!(code("2001:db8:1:2::2", 2).await, "code_wrong");
    assert_eq!(code("2001:db8:1:2::3", 3).await, "too_many_attempts");
    assert_eq!(code("192.0.2.1", 4).await, "code_wrong");
}

#[tokio::test]
async fn in_development_an_address_may_fail_a_hundred_times_as_often() {
    let common = common(&Issuer::start().await);
    let house = house_with(common, |config| {
        config.common.dev = true;
        config.brakes.address_free_failures = 1;
    })
    .await;
    for n in 0..3 {
        let who = email(&format!("somebody{n}"));
        let wrong = log_in_from(&house, "192.0.2.1", &who, "Wrong1234").await.expect_err("wrong");
        assert_eq!(reason(&wrong), "credentials_wrong");
    }
}

#[tokio::test]
async fn the_limits_are_those_of_the_configuration() {
    let common = common(&Issuer::start().await);
    let house = house_with(common, |config| config.brakes.login_free_failures = 1).await;
    house.member("ada").await;
    assert_eq!(reason(&house.log_in("ada", "Wrong1234").await.expect_err("wrong")), "credentials_wrong");
    assert_eq!(reason(&house.log_in("ada", PASSWORD).await.expect_err("waits")), "too_many_attempts");
}

#[tokio::test]
async fn another_spelling_is_another_account() {
    let house = house().await;
    house.member("kim").await;
    // By the rules of Unicode the lower case of the first letter is a k.
    let twin = "\u{212A}im@example.org";
    for n in 0..6 {
        let refused = log_in_from(&house, "192.0.2.1", twin, PASSWORD).await.expect_err("nobody");
        assert_eq!(reason(&refused), if n < 5 { "credentials_wrong" } else { "too_many_attempts" });
    }
    house.log_in("kim", PASSWORD).await.expect("nobody has guessed at kim");
    let shouted = log_in_from(&house, "192.0.2.1", " KIM@EXAMPLE.ORG ", PASSWORD).await;
    shouted.expect("the same address in capitals");
    assert_eq!(verify_from(&house, "192.0.2.1", twin).await, "code_wrong");
    // Where an address is written to, it has to be one.
    let forgot = ForgotPasswordRequest { email: twin.into(), ip: String::new() };
    let resend = ResendCodeRequest { email: twin.into(), ip: String::new() };
    assert_eq!(reason(&house.accounts().forgot_password(forgot).await.expect_err("no address")), "invalid");
    assert_eq!(reason(&house.accounts().resend_code(resend).await.expect_err("no address")), "invalid");
}
