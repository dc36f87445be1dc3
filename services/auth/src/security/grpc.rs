use kit::caller::{self, User};
use proto::auth::v1::{
    BeginTwoStepRequest, BeginTwoStepResponse, ConfirmTwoStepRequest, ConfirmTwoStepResponse,
    EndTwoStepRequest, EndTwoStepResponse, ListDevicesRequest, ListDevicesResponse,
    RenewRecoveryCodesRequest, RenewRecoveryCodesResponse, RevokeDeviceRequest, RevokeDeviceResponse,
    RevokeOtherDevicesRequest, RevokeOtherDevicesResponse, UpdatePasswordRequest, UpdatePasswordResponse,
    security_server::Security,
};
use tonic::{Request, Response, Status};
use uuid::Uuid;

use super::{check_changed, two_step::store as two_step};
use crate::{
    App,
    accounts::{
        check_presence,
        guessable::{known_words, refuse_guessable},
        store::{self, Account},
    },
    error::{Error, Result},
    keys, limits,
    profiles::{grpc::signed_in, store as profiles},
};

#[tonic::async_trait]
impl Security for App {
    async fn update_password(
        &self,
        request: Request<UpdatePasswordRequest>,
    ) -> Result<Response<UpdatePasswordResponse>, Status> {
        let user = caller::user(&request)?;
        self.change_password(&user, request.into_inner()).await?;
        Ok(Response::new(UpdatePasswordResponse {}))
    }

    async fn list_devices(
        &self,
        request: Request<ListDevicesRequest>,
    ) -> Result<Response<ListDevicesResponse>, Status> {
        let user = caller::user(&request)?;
        let devices = signed_in(profiles::devices(&self.db, user.id).await?, user.session);
        Ok(Response::new(ListDevicesResponse { devices }))
    }

    async fn revoke_device(
        &self,
        request: Request<RevokeDeviceRequest>,
    ) -> Result<Response<RevokeDeviceResponse>, Status> {
        let user = caller::user(&request)?;
        let ask = request.into_inner();
        self.by_password(user.id, &ask.password, "password").await?;
        let session = kit::ids::find("device_not_found", &ask.id)?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        if !store::end_session(&mut *tx, session, user.id).await? {
            return Err(Error::DeviceNotFound.into());
        }
        let revoked = keys::revoke_sessions(&mut tx, &[session]).await?;
        tx.commit().await.map_err(Error::from)?;
        keys::tell(&self.notices, &revoked).await;
        Ok(Response::new(RevokeDeviceResponse {}))
    }

    async fn revoke_other_devices(
        &self,
        request: Request<RevokeOtherDevicesRequest>,
    ) -> Result<Response<RevokeOtherDevicesResponse>, Status> {
        let user = caller::user(&request)?;
        self.by_password(user.id, &request.into_inner().password, "password").await?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        let ended = store::end_sessions(&mut *tx, user.id, Some(user.session)).await?;
        let revoked = keys::revoke_sessions(&mut tx, &ended).await?;
        tx.commit().await.map_err(Error::from)?;
        keys::tell(&self.notices, &revoked).await;
        let revoked = u32::try_from(ended.len()).unwrap_or(u32::MAX);
        Ok(Response::new(RevokeOtherDevicesResponse { revoked }))
    }

    async fn begin_two_step(
        &self,
        request: Request<BeginTwoStepRequest>,
    ) -> Result<Response<BeginTwoStepResponse>, Status> {
        let user = caller::user(&request)?;
        let account = self.by_password(user.id, &request.into_inner().password, "password").await?;
        let begun = self.begin_step(user.id, &account.username).await?;
        Ok(Response::new(BeginTwoStepResponse { secret: begun.secret, uri: begun.uri }))
    }

    async fn confirm_two_step(
        &self,
        request: Request<ConfirmTwoStepRequest>,
    ) -> Result<Response<ConfirmTwoStepResponse>, Status> {
        let user = caller::user(&request)?;
        let recovery_codes = self.confirm_step(user.id, &request.into_inner().code).await?;
        Ok(Response::new(ConfirmTwoStepResponse { recovery_codes }))
    }

    async fn end_two_step(
        &self,
        request: Request<EndTwoStepRequest>,
    ) -> Result<Response<EndTwoStepResponse>, Status> {
        let user = caller::user(&request)?;
        let ask = request.into_inner();
        let account = self.by_password(user.id, &ask.password, "password").await?;
        if !account.roles.is_empty() {
            return Err(Error::TwoStepRequired.into());
        }
        self.by_step(&account, &ask.code).await?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        two_step::end(&mut tx, user.id).await?;
        tx.commit().await.map_err(Error::from)?;
        Ok(Response::new(EndTwoStepResponse {}))
    }

    async fn renew_recovery_codes(
        &self,
        request: Request<RenewRecoveryCodesRequest>,
    ) -> Result<Response<RenewRecoveryCodesResponse>, Status> {
        let user = caller::user(&request)?;
        let account = store::find(&self.db, user.id).await?.ok_or(Error::UserNotFound)?;
        self.by_step(&account, &request.into_inner().code).await?;
        let mut tx = self.db.begin().await.map_err(Error::from)?;
        let recovery_codes = self.new_recovery_codes(&mut tx, user.id).await?;
        tx.commit().await.map_err(Error::from)?;
        Ok(Response::new(RenewRecoveryCodesResponse { recovery_codes }))
    }
}

impl App {
    /// The caller's account, by their password: who has found an open session cannot take the account
    /// over. Wrong ones count as failed logins do.
    pub async fn by_password(&self, user: Uuid, password: &str, field: &'static str) -> Result<Account> {
        check_presence(&[(field, password)])?;
        let account = store::find(&self.db, user).await?.ok_or(Error::UserNotFound)?;
        let throttle = self.throttles.account(&account.email);
        let typed = password.chars().take(limits::PASSWORD_MAX + 1).collect();
        let place = self.hasher.place().await?;
        throttle.check().await?;
        if self.hasher.verify(&place, typed, Some(account.password_hash.clone())).await? {
            return Ok(account);
        }
        throttle.failed().await?;
        Err(Error::PasswordWrong(field))
    }

    /// The same by the second step.
    async fn by_step(&self, account: &Account, code: &str) -> Result<()> {
        check_presence(&[("code", code)])?;
        if !account.two_step {
            return Err(Error::TwoStepOff);
        }
        let throttle = self.throttles.account(&account.email);
        let _place = self.hasher.place().await?;
        throttle.check().await?;
        if self.takes_step(account.id, code.trim()).await? {
            return Ok(());
        }
        throttle.failed().await?;
        Err(Error::StepCodeWrong)
    }

    async fn confirm_step(&self, user: Uuid, code: &str) -> Result<Vec<String>> {
        check_presence(&[("code", code)])?;
        let account = store::find(&self.db, user).await?.ok_or(Error::UserNotFound)?;
        let begun = two_step::find(&self.db, user).await?.ok_or(Error::TwoStepOff)?;
        if begun.on {
            return Err(Error::TwoStepOn);
        }
        let throttle = self.throttles.account(&account.email);
        throttle.check().await?;
        if !self.takes_code(user, &begun.sealed, code.trim()).await? {
            throttle.failed().await?;
            return Err(Error::StepCodeWrong);
        }
        let mut tx = self.db.begin().await?;
        if !two_step::confirm(&mut *tx, user, &begun.sealed).await? {
            return Err(Error::TwoStepOn);
        }
        let codes = self.new_recovery_codes(&mut tx, user).await?;
        tx.commit().await?;
        Ok(codes)
    }

    async fn change_password(&self, user: &User, ask: UpdatePasswordRequest) -> Result<()> {
        check_presence(&[("currentPassword", &ask.current_password), ("newPassword", &ask.new_password)])?;
        check_changed(&ask.new_password)?;
        let account = self.by_password(user.id, &ask.current_password, "currentPassword").await?;
        let known = known_words(&self.mail.brand_name, &account.username, &account.email);
        refuse_guessable("newPassword", &ask.new_password, &known)?;
        self.leaks.refuse("newPassword", &ask.new_password).await?;
        let hash = self.hasher.hash(ask.new_password).await?;
        let mut tx = self.db.begin().await?;
        store::set_password(&mut *tx, account.id, &hash).await?;
        let ended = store::end_sessions(&mut *tx, account.id, Some(user.session)).await?;
        let revoked = keys::revoke_sessions(&mut tx, &ended).await?;
        tx.commit().await?;
        keys::tell(&self.notices, &revoked).await;
        self.throttles.account(&account.email).forget().await
    }
}
