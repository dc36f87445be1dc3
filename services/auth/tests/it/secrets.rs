//! The real program, told secrets that can be found again: none of them is in what it logs, traces or prints.

use kit::testing::{Issuer, MARK, Overheard, as_user, channel, common, database, eventually, marked};
use proto::auth::v1::{
    Device, ListMailRequest, LogInRequest, LogOutRequest, SignUpRequest, VerifyRequest,
    accounts_client::AccountsClient, mailbox_client::MailboxClient,
};

const AUTH: &str = env!("CARGO_BIN_EXE_auth");
const SECRETS: [&str; 3] = ["AUTH_CODE_KEY", "AUTH_KEY_SECRET", "AGE_PROVIDER_SECRET"];

#[tokio::test]
async fn no_secret_is_in_the_log_or_the_traces_of_the_real_program() {
    let mails = tempfile::tempdir().expect("a folder");
    let db = database(&auth::MIGRATOR).await;
    let common = common(&Issuer::start().await);
    let heard = Overheard::start().await;
    let (mut command, url) = heard.serving(AUTH, &SECRETS, &common, &db);
    command.env("MAIL_DIR", mails.path());
    let _auth = heard.spawn(command);
    let at = channel(&url);
    let accounts = AccountsClient::new(at.clone());
    let password = marked("password");
    let email = format!("{MARK}@example.org").to_lowercase();
    let sign_up = SignUpRequest {
        email: email.clone(),
        password: password.clone(),
        username: "ada".into(),
        ip: "127.0.0.1".into(),
        ..Default::default()
    };
    eventually(|| async { accounts.clone().sign_up(sign_up.clone()).await.ok() }).await;
    let mailbox = MailboxClient::new(at);
    let code = eventually(|| async {
        let mails = mailbox.clone().list_mail(ListMailRequest {}).await.ok()?.into_inner().mails;
        mails
            .into_iter()
            .find(|mail| mail.subject.contains("is your"))
            .map(|mail| mail.subject[..6].to_owned())
    })
    .await;
    let verify = VerifyRequest { code: code.clone(), email: Some(email.clone()), ip: "127.0.0.1".into() };
    accounts.clone().verify(verify).await.expect("verified");
    let log_in = |password: String| LogInRequest {
        email: email.clone(),
        password,
        device: Some(Device { ip: "127.0.0.1".into(), ..Default::default() }),
        otp: None,
    };
    accounts.clone().log_in(log_in(marked("wrong"))).await.expect_err("wrong");
    let token = accounts.clone().log_in(log_in(password)).await.expect("logged in").into_inner().token;
    as_user(&token, accounts.clone().log_out(LogOutRequest {})).await.expect("logged out");

    heard.until("LogOut", &["login refused: not the password", "logged in", "logged out"]).await;
    let signature = token.rsplit('.').next().expect("three parts");
    heard.assert_no_secret(&[("a token", signature), ("the code of a mail", &code)]);
}

#[tokio::test]
async fn no_secret_is_in_what_the_program_says_of_itself_or_of_its_failure() {
    let heard = Overheard::start().await;
    let secret = |at: &str| format!("{at}://someone:{MARK}@127.0.0.1:1/x");
    let run = |arguments: &[&str]| {
        let mut command = heard.command(AUTH, &SECRETS);
        command
            .args(arguments)
            .env("DATABASE_URL", secret("postgres"))
            .env("REDIS_URL", secret("redis"))
            .env("AMQP_URL", secret("amqp"))
            .env("SMTP_URL", secret("smtp"));
        heard.run(command)
    };
    assert!(run(&["serve", "--help"]));
    assert!(!run(&["serve"]), "nothing listens there");
    assert!(!run(&["migrate"]), "nothing listens there");
    let said = heard.said();
    assert!(said.contains("AUTH_CODE_KEY") && said.len() > 1_000, "it has spoken: {said}");
    heard.assert_no_secret(&[]);
}
