//! What people do with auth.

use auth::{Brakes, Config, Mail};
use kit::{
    client::Channel,
    config::{Common, Secret},
    error::Failure,
    testing::{Issuer, TestDb, TestServer, as_user, channel, common, database, eventually, serve},
};
use proto::auth::v1::{
    BeginTwoStepRequest, ConfirmTwoStepRequest, Device, ForgotPasswordRequest, GetProfileRequest,
    GetProfileResponse, ListMailRequest, LogInRequest, LogInResponse, LogOutRequest, Mail as PbMail,
    OwnProfile, ResetPasswordRequest, SignUpRequest, VerifyRequest, accounts_client::AccountsClient,
    get_profile_response::View, mailbox_client::MailboxClient, profiles_client::ProfilesClient,
    security_client::SecurityClient,
};
use tempfile::TempDir;
use tonic::Status;

pub const PASSWORD: &str = "Footlights1";
pub const KEY_SECRET: &str = "the tests' key secret";

pub struct House {
    pub common: Common,
    pub db: TestDb,
    pub server: TestServer,
    mail: TempDir,
}

pub fn reason(status: &Status) -> String {
    Failure::from_status(status).reason
}

/// What a person is told: the first field's text.
pub fn told(status: &Status) -> String {
    Failure::from_status(status).fields.first().map(|(_, text)| text.clone()).unwrap_or_default()
}

pub async fn house() -> House {
    house_of(common(&Issuer::start().await)).await
}

/// auth in surroundings that a test has chosen.
pub async fn house_of(common: Common) -> House {
    house_with(common, |_| ()).await
}

/// auth by a configuration that a test has changed.
pub async fn house_with(common: Common, change: impl FnOnce(&mut Config)) -> House {
    let db = database(&auth::MIGRATOR).await;
    let mail = tempfile::tempdir().expect("a folder");
    let mut config = Config {
        common: common.clone(),
        database: db.target(),
        keys: auth::KeySecret { key_secret: Secret::new(KEY_SECRET) },
        code_key: Secret::new("the tests' code key"),
        age_rules: "default=self".into(),
        age_provider_secret: None,
        leaked_passwords_url: None,
        erase_after_days: 30,
        brakes: Brakes {
            login_free_failures: 5,
            address_free_failures: 50,
            address_tries: 50,
            login_memory_s: 900,
            mails_per_hour: 5,
        },
        mail: mail_config(&mail),
    };
    change(&mut config);
    let server = serve(|listener, shutdown| auth::run(config, listener, shutdown)).await;
    House { common, db, server, mail }
}

fn mail_config(folder: &TempDir) -> Mail {
    Mail {
        public_url: "http://troupe.example".into(),
        smtp_url: None,
        mail_dir: Some(folder.path().to_owned()),
        mail_from: "Troupe <stage@troupe.example>".into(),
        brand_name: "Troupe".into(),
    }
}

impl House {
    /// As the server has it.
    pub fn mail_config(&self) -> Mail {
        mail_config(&self.mail)
    }

    pub fn channel(&self) -> Channel {
        channel(&self.server.url)
    }

    pub fn accounts(&self) -> AccountsClient<Channel> {
        AccountsClient::new(self.channel())
    }

    pub async fn sign_up(&self, name: &str) -> Result<String, Status> {
        self.sign_up_with(&email(name), PASSWORD, name).await
    }

    pub async fn sign_up_with(&self, email: &str, password: &str, name: &str) -> Result<String, Status> {
        let request = SignUpRequest {
            email: email.into(),
            password: password.into(),
            username: name.into(),
            referral: String::new(),
            ip: "127.0.0.1".into(),
            country: String::new(),
        };
        Ok(self.accounts().sign_up(request).await?.into_inner().user_id)
    }

    /// The newest mail to somebody whose subject contains a text.
    pub async fn mail(&self, name: &str, subject: &str) -> PbMail {
        let mailbox = MailboxClient::new(self.channel());
        eventually(|| async {
            let mails = mailbox.clone().list_mail(ListMailRequest {}).await.ok()?.into_inner().mails;
            mails.into_iter().find(|m| m.to == email(name) && m.subject.contains(subject))
        })
        .await
    }

    /// The code of the newest mail to somebody.
    pub async fn code(&self, name: &str) -> String {
        self.mail(name, "is your Troupe code").await.subject[..6].to_owned()
    }

    pub async fn verify(&self, name: Option<&str>, code: &str) -> Result<(), Status> {
        let request = VerifyRequest { code: code.into(), email: name.map(email), ip: "127.0.0.1".into() };
        self.accounts().verify(request).await.map(drop)
    }

    pub async fn log_in(&self, name: &str, password: &str) -> Result<LogInResponse, Status> {
        self.log_in_with(name, password, None).await
    }

    /// With the second step.
    pub async fn log_in_with(
        &self,
        name: &str,
        password: &str,
        otp: Option<&str>,
    ) -> Result<LogInResponse, Status> {
        let device = Device {
            user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0".into(),
            ip: "127.0.0.1".into(),
            time_zone: "Europe/Brussels".into(),
        };
        let request = LogInRequest {
            email: email(name),
            password: password.into(),
            device: Some(device),
            otp: otp.map(str::to_owned),
        };
        Ok(self.accounts().log_in(request).await?.into_inner())
    }

    pub fn security(&self) -> SecurityClient<Channel> {
        SecurityClient::new(self.channel())
    }

    /// Turns the second step on; answers the secret and the recovery codes.
    pub async fn two_step(&self, token: &str) -> (String, Vec<String>) {
        let begin = BeginTwoStepRequest { password: PASSWORD.into() };
        let secret =
            as_user(token, self.security().begin_two_step(begin)).await.expect("begun").into_inner().secret;
        let confirm = ConfirmTwoStepRequest { code: otp(&secret, 0) };
        let codes = as_user(token, self.security().confirm_two_step(confirm)).await.expect("confirmed");
        (secret, codes.into_inner().recovery_codes)
    }

    /// Until a token is refused.
    pub async fn refused(&self, token: &str) {
        eventually(|| async {
            let refused = self.profile(Some(token), "me").await.err()?;
            (refused.code() == tonic::Code::Unauthenticated).then_some(())
        })
        .await;
    }

    pub async fn own(&self, token: &str) -> OwnProfile {
        match self.profile(Some(token), "me").await.expect("found").view {
            Some(View::Own(own)) => own,
            _ => panic!("the own profile is the caller's"),
        }
    }

    pub async fn log_out(&self, token: &str) {
        as_user(token, self.accounts().log_out(LogOutRequest {})).await.expect("logged out");
    }

    /// Signed up, verified and logged in: the bearer.
    pub async fn member(&self, name: &str) -> String {
        self.sign_up(name).await.expect("signed up");
        let code = self.code(name).await;
        self.verify(Some(name), &code).await.expect("verified");
        self.log_in(name, PASSWORD).await.expect("logged in").token
    }

    pub async fn profile(&self, token: Option<&str>, name: &str) -> Result<GetProfileResponse, Status> {
        let mut profiles = ProfilesClient::new(self.channel());
        let ask = profiles.get_profile(GetProfileRequest { username: name.into() });
        let answer = match token {
            Some(token) => as_user(token, ask).await?,
            None => ask.await?,
        };
        Ok(answer.into_inner())
    }

    pub async fn reset_request(&self, name: &str) {
        let request = ForgotPasswordRequest { email: email(name), ip: "127.0.0.1".into() };
        self.accounts().forgot_password(request).await.expect("taken");
    }

    /// Asks for a reset and reads the token of the link.
    pub async fn reset_token(&self, name: &str) -> String {
        self.reset_request(name).await;
        let text = self.mail(name, "Set a new").await.text;
        let link = text.split_whitespace().find(|w| w.contains("/reset?token=")).expect("a link");
        link.rsplit('=').next().expect("a token").to_owned()
    }

    pub async fn reset(&self, token: &str, password: &str) -> Result<(), Status> {
        let request =
            ResetPasswordRequest { token: token.into(), password: password.into(), ip: "127.0.0.1".into() };
        self.accounts().reset_password(request).await.map(drop)
    }
}

pub fn email(name: &str) -> String {
    format!("{}@example.org", name.to_lowercase())
}

/// What an authenticator app shows, some steps of 30 seconds from now.
pub fn otp(secret: &str, ahead: i64) -> String {
    let secret = totp_rs::Secret::Encoded(secret.to_owned()).to_bytes().expect("base32");
    let totp = totp_rs::TOTP::new(totp_rs::Algorithm::SHA1, 6, 1, 30, secret, None, "x".into());
    let at = time::OffsetDateTime::now_utc().unix_timestamp() + ahead * 30;
    totp.expect("a secret").generate(at.unsigned_abs())
}

/// What a token says.
pub fn roles(token: &str) -> Vec<String> {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    let body = token.split('.').nth(1).expect("three parts");
    let claims: kit::auth::Claims =
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(body).expect("base64")).expect("claims");
    claims.roles
}
