//! What a user writes beside a turn, held against the rules.

use moderation::{Place, Rule};
use uuid::Uuid;

use crate::{
    App,
    error::{Error, Result},
    events,
};

impl App {
    /// Whether a text may stand. What is held elsewhere passes here: nobody else reads it.
    ///
    /// # Errors
    /// `moderated`; where the rule strikes, auth hears of it.
    pub(crate) async fn may_write(
        &self,
        user: Uuid,
        field: &'static str,
        object: &str,
        text: &str,
        place: Place,
    ) -> Result<()> {
        let Err(rule) = moderation::judge(text, place).unless_refused() else { return Ok(()) };
        if rule.strikes() {
            self.strike(user, rule, object).await;
        }
        Err(Error::Moderated(field, rule))
    }

    /// Tells auth, in a transaction of its own: that of what was refused never is.
    pub(crate) async fn strike(&self, user: Uuid, rule: Rule, object: &str) {
        if let Err(error) = events::user_struck(&self.db, user, rule, object).await {
            tracing::error!(%error, %user, "a strike was not told");
        }
    }
}
