use kit::{caller, text, time::to_proto};
use moderation::Place;
use proto::auth::v1::{
    ForgotPasswordRequest, ForgotPasswordResponse, LogInRequest, LogInResponse, LogOutRequest,
    LogOutResponse, RenewSessionRequest, RenewSessionResponse, ResendCodeRequest, ResendCodeResponse,
    ResetPasswordRequest, ResetPasswordResponse, SignUpRequest, SignUpResponse, VerifyRequest,
    VerifyResponse, accounts_server::Accounts,
};
use subtle::ConstantTimeEq as _;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{
    Email, Username, check_password, check_presence, device,
    guessable::{known_words, refuse_guessable},
    hashing, store, wishes,
};
use crate::{
    App,
    error::{Error, Result},
    events, keys, limits,
    mail::{self, Letter},
    profiles::{
        Person,
        grpc::{judged, shown_to_owner},
        store::open_session,
    },
    security::two_step::store as two_step,
};

/// What a try of a code met.
enum Tried {
    Live(store::LiveCode),
    /// No live code; `dead` when that may be told.
    None {
        dead: bool,
    },
}

#[tonic::async_trait]
impl Accounts for App {
    async fn sign_up(&self, request: Request<SignUpRequest>) -> Result<Response<SignUpResponse>, Status> {
        let user_id = self.register(request.into_inner()).await?.to_string();
        Ok(Response::new(SignUpResponse { user_id }))
    }

    async fn verify(&self, request: Request<VerifyRequest>) -> Result<Response<VerifyResponse>, Status> {
        self.check_code(request.into_inner()).await?;
        Ok(Response::new(VerifyResponse {}))
    }

    async fn resend_code(
        &self,
        request: Request<ResendCodeRequest>,
    ) -> Result<Response<ResendCodeResponse>, Status> {
        self.resend(&request.into_inner().email).await?;
        Ok(Response::new(ResendCodeResponse {}))
    }

    async fn log_in(&self, request: Request<LogInRequest>) -> Result<Response<LogInResponse>, Status> {
        Ok(Response::new(self.open_session(request.into_inner()).await?))
    }

    async fn log_out(&self, request: Request<LogOutRequest>) -> Result<Response<LogOutResponse>, Status> {
        let user = caller::user(&request)?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        store::end_session(&mut *tx, user.session, user.id).await?;
        let revoked = keys::revoke_sessions(&mut tx, &[user.session]).await?;
        tx.commit().await.map_err(Error::from)?;
        keys::tell(&self.notices, &revoked).await;
        tracing::info!(user = %user.id, session = %user.session, "logged out");
        Ok(Response::new(LogOutResponse {}))
    }

    async fn renew_session(
        &self,
        request: Request<RenewSessionRequest>,
    ) -> Result<Response<RenewSessionResponse>, Status> {
        let user = caller::user(&request)?;
        let session =
            store::live_session(&self.db, user.session, user.id).await?.ok_or(Error::SessionEnded)?;
        let now = kit::db::now(&self.db).await.map_err(Error::from)?;
        if session.created_at + limits::SESSION_LIFE < now || session.state != "active" {
            return Err(Error::SessionEnded.into());
        }
        let (token, expires_at) = self
            .keys
            .issue(user.id, user.session, &session.username, session.roles, now)
            .map_err(Error::from)?;
        Ok(Response::new(RenewSessionResponse { token, expires_at: Some(to_proto(expires_at)) }))
    }

    async fn forgot_password(
        &self,
        request: Request<ForgotPasswordRequest>,
    ) -> Result<Response<ForgotPasswordResponse>, Status> {
        self.forgot(&request.into_inner().email).await?;
        Ok(Response::new(ForgotPasswordResponse {}))
    }

    async fn reset_password(
        &self,
        request: Request<ResetPasswordRequest>,
    ) -> Result<Response<ResetPasswordResponse>, Status> {
        self.reset(request.into_inner()).await?;
        Ok(Response::new(ResetPasswordResponse {}))
    }
}

impl App {
    async fn register(&self, ask: SignUpRequest) -> Result<Uuid> {
        check_presence(&[("email", &ask.email), ("password", &ask.password), ("username", &ask.username)])?;
        let email = Email::parse(&ask.email)?;
        check_password(&ask.password)?;
        let username = Username::parse(&ask.username)?;
        let known = known_words(&self.mail.brand_name, username.as_str(), email.as_str());
        refuse_guessable("password", &ask.password, &known)?;
        judged(username.as_str(), Place::Profile, "username")?;
        if !self.age.of(&ask.country, "").open() {
            return Err(Error::CountryClosed);
        }
        self.leaks.refuse("password", &ask.password).await?;
        // A referral is a courtesy: one that is not understood is dropped, not refused.
        let referral = text::clean(&ask.referral, limits::REFERRAL_MAX).unwrap_or_default();
        let hash = self.hasher.hash(ask.password).await?;

        let id = Uuid::now_v7();
        let mut tx = self.db.begin().await?;
        store::add(&mut *tx, id, &email, &username, &hash, &referral).await?;
        let code = hashing::code();
        store::set_code(&mut *tx, id, &self.hasher.code(id, &code)).await?;
        let letter = Letter::code(username.as_str(), &code, &self.mail);
        mail::queue(&mut *tx, email.as_str(), &letter).await?;
        let person = Person { id, username: username.as_str().into(), avatar_asset: String::new() };
        events::user_changed(&mut *tx, "auth.user.registered", &person, 1).await?;
        tx.commit().await?;
        Ok(id)
    }

    async fn check_code(&self, ask: VerifyRequest) -> Result<()> {
        check_presence(&[("token", &ask.code)])?;
        if ask.code.trim().len() < limits::CODE_LENGTH {
            return Err(kit::error::Failure::invalid("token", "Enter full code.").into());
        }
        let address = self.throttles.tries(&ask.ip);
        address.check().await?;
        let right = |live: &store::LiveCode| -> bool {
            self.hasher.code(live.user_id, &ask.code).ct_eq(&live.hash).into()
        };
        let known = match ask.email.as_deref().filter(|e| !e.trim().is_empty()) {
            Some(email) => match self.try_code_of(email, &right).await? {
                Tried::Live(live) => Some(live),
                Tried::None { dead } => {
                    address.failed().await?;
                    return Err(if dead { Error::CodeExpired } else { Error::CodeWrong });
                }
            },
            None => store::live_codes(&self.db).await?.into_iter().find(&right),
        };
        match known.filter(&right) {
            Some(live) => store::verified(&self.db, live.user_id).await,
            None => {
                address.failed().await?;
                Err(Error::CodeWrong)
            }
        }
    }

    /// Counts a try against the live code of an address. Without one the answers come as they would with
    /// one, wrong a few times and then dead: who guesses never learns whether the account exists. Only the
    /// right code, which somebody has read in their mail, is told to be too late.
    async fn try_code_of(&self, email: &str, right: impl Fn(&store::LiveCode) -> bool) -> Result<Tried> {
        let account = store::find_by_email(&self.db, email).await?;
        if let Some(account) = &account {
            // Counted before it is judged, so that many at once are still counted.
            if let Some(live) = store::try_code(&self.db, account.id).await? {
                return Ok(Tried::Live(live));
            }
            if let Some(late) = store::dead_code(&self.db, account.id).await?
                && (late.worn_out || right(&late.code))
            {
                return Ok(Tried::None { dead: true });
            }
        }
        let tries = self.throttles.code_tries(email).await?;
        Ok(Tried::None { dead: tries > limits::CODE_TRIES.unsigned_abs() })
    }

    /// Silent about whether the account exists, and whether it needs a code.
    async fn resend(&self, email: &str) -> Result<()> {
        check_presence(&[("email", email)])?;
        let email = Email::parse(email)?;
        if !self.throttles.may_mail(email.as_str()).await? {
            return Ok(());
        }
        self.throttles.forget_code_tries(email.as_str()).await?;
        wishes::add(&self.db, wishes::Kind::Code, email.as_str()).await
    }

    /// Silent about whether the account exists.
    async fn forgot(&self, email: &str) -> Result<()> {
        check_presence(&[("email", email)])?;
        let email = Email::parse(email)?;
        if !self.throttles.may_mail(email.as_str()).await? {
            return Ok(());
        }
        wishes::add(&self.db, wishes::Kind::Reset, email.as_str()).await
    }

    async fn open_session(&self, ask: LogInRequest) -> Result<LogInResponse> {
        check_presence(&[("email", &ask.email), ("password", &ask.password)])?;
        let client = ask.device.unwrap_or_default();
        let by_account = self.throttles.account(&ask.email);
        let by_address = self.throttles.address(&client.ip);
        let account = store::find_by_email(&self.db, &ask.email).await?;
        let hash = account.as_ref().map(|a| a.password_hash.clone());
        // Longer ones cannot be right, and would only cost time.
        let typed = ask.password.chars().take(limits::PASSWORD_MAX + 1).collect();
        let place = self.hasher.place().await?;
        let forgets = self.throttles.let_in(&by_account, &by_address).await?;
        let right = self.hasher.verify(&place, typed, hash).await?;
        let known = account.as_ref().map(|account| account.id);
        let Some(account) = account.filter(|_| right) else {
            tracing::info!(user = known.map(tracing::field::display), "login refused: not the password");
            by_account.failed().await?;
            by_address.failed().await?;
            return Err(Error::CredentialsWrong);
        };
        match account.state.as_str() {
            "active" => {}
            "suspended" => return Err(Error::Suspended(account.suspended_reason)),
            _ => return Err(Error::EmailUnverified),
        }
        let stepped = account.two_step;
        if stepped {
            let otp = ask.otp.as_deref().map(str::trim).filter(|otp| !otp.is_empty());
            let otp = otp.ok_or(Error::OtpRequired)?;
            if !self.takes_step(account.id, otp).await? {
                tracing::info!(user = %account.id, "login refused: not the second step");
                by_account.failed().await?;
                by_address.failed().await?;
                return Err(Error::OtpWrong);
            }
        }
        drop(place);
        if forgets {
            by_account.forget().await?;
        }

        let session = Uuid::now_v7();
        let device = device::describe(&client);
        let opened =
            open_session(&self.db, session, &account, &device, stepped, limits::PROFILE_LIST).await?;
        let Some((own, roles)) = opened else {
            // Something was changed while the password was hashed.
            let on = !stepped && two_step::is_on(&self.db, account.id).await?;
            return Err(if on { Error::OtpRequired } else { Error::CredentialsWrong });
        };
        let (token, expires_at) = self.keys.issue(account.id, session, &account.username, roles, own.now)?;
        tracing::info!(user = %account.id, %session, second_step = stepped, "logged in");
        let profile = shown_to_owner(account.id, session, own);
        Ok(LogInResponse { token, expires_at: Some(to_proto(expires_at)), profile: Some(profile) })
    }

    async fn reset(&self, ask: ResetPasswordRequest) -> Result<()> {
        check_presence(&[("password", &ask.password)])?;
        if ask.token.trim().is_empty() {
            let text = "Missing token. Please resubmit a reset request.";
            return Err(kit::error::Failure::invalid("token", text).into());
        }
        check_password(&ask.password)?;
        let address = self.throttles.tries(&ask.ip);
        address.check().await?;
        self.leaks.refuse("password", &ask.password).await?;
        let hash = self.hasher.hash(ask.password.clone()).await?;

        let mut tx = self.db.begin().await?;
        let Some(user) = store::take_reset(&mut *tx, &self.hasher.token(ask.token.trim())).await? else {
            address.failed().await?;
            return Err(Error::ResetExpired);
        };
        // Refused, the token stays as it was, for a better password.
        let account = store::find(&mut *tx, user).await?.ok_or(Error::ResetExpired)?;
        let known = known_words(&self.mail.brand_name, &account.username, &account.email);
        refuse_guessable("password", &ask.password, &known)?;
        store::set_password(&mut *tx, user, &hash).await?;
        let ended = store::end_sessions(&mut *tx, user, None).await?;
        let mut revoked = keys::revoke_sessions(&mut tx, &ended).await?;
        revoked.push(keys::revoke_user(&mut tx, user).await?);
        tx.commit().await?;
        keys::tell(&self.notices, &revoked).await;
        tracing::info!(%user, "password set by a mail; all sessions have ended");
        Ok(())
    }
}
