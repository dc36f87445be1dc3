use kit::caller::{self, User};
use proto::auth::v1::{AssureAgeRequest, AssureAgeResponse, age_server::Age};
use tonic::{Request, Response, Status};

use super::{Answer, Asked, store};
use crate::{
    App,
    error::{Error, Result},
    limits,
};

#[tonic::async_trait]
impl Age for App {
    async fn assure_age(
        &self,
        request: Request<AssureAgeRequest>,
    ) -> Result<Response<AssureAgeResponse>, Status> {
        let user = caller::user(&request)?;
        let answer = self.assure(&user, request.into_inner()).await?;
        let (assured, redirect) = match answer {
            Answer::Assured => (true, String::new()),
            Answer::Redirect(to) => (false, to),
            Answer::NotYet => (false, String::new()),
        };
        Ok(Response::new(AssureAgeResponse { assured, redirect }))
    }
}

impl App {
    async fn assure(&self, user: &User, ask: AssureAgeRequest) -> Result<Answer> {
        if ask.proof.len() > limits::PROOF_MAX {
            let text = format!("At most {} characters.", limits::PROOF_MAX);
            return Err(kit::error::Failure::invalid("proof", text).into());
        }
        let standing = store::standing(&self.db, user.id, user.session).await?.ok_or(Error::UserNotFound)?;
        let rule = self.age.of(&ask.country, &standing.time_zone);
        // Who was assured by this rule need not be again; where another one holds, they are asked anew.
        if rule.open() && standing.rule == rule.name() {
            return Ok(Answer::Assured);
        }
        let asked = Asked {
            declared: ask.declared,
            session: hex::encode(self.hasher.age(user.session)),
            proof: ask.proof,
            return_url: format!("{}/?age=returned", self.mail.public_url),
        };
        let answer = rule.assure(&asked).await?;
        if answer == Answer::Assured {
            store::assured(&self.db, user.id, rule.name()).await?;
        }
        Ok(answer)
    }
}
