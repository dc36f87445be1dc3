//! What providers are still to be told: kept until it is done, so that an outage of theirs undoes nothing.

use std::{sync::Arc, time::Duration};

use kit::{db::Db, shutdown::Shutdown};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::{PaymentProvider, store};
use crate::{
    error::{Error, Result},
    plans::{Period, Plan},
};

/// Between looks for tasks that are due.
const LOOK: Duration = Duration::from_millis(200);

/// Something a provider is to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Task {
    Renew { subscription: String, on: bool },
    Change { subscription: String, plan: Plan, period: Period },
    End { subscription: String },
    Refund { payment: String, amount: i64 },
}

impl Task {
    fn about(&self) -> &str {
        match self {
            Self::Renew { subscription, .. }
            | Self::Change { subscription, .. }
            | Self::End { subscription } => subscription,
            Self::Refund { payment, .. } => payment,
        }
    }

    /// Older tasks about the same subscription that this one makes needless, as they are stored: one that
    /// cannot be done must not hold up what came to stand in its place.
    fn supersedes(&self) -> &'static [&'static str] {
        match self {
            // Any pending change is dropped by it.
            Self::Renew { .. } => &["renew", "change"],
            // Not the renewal: whoever takes a cancellation back may choose another plan with it.
            Self::Change { .. } => &["change"],
            Self::End { .. } => &["renew", "change", "end"],
            Self::Refund { .. } => &[],
        }
    }
}

/// Writes down what `provider` is to do, in the transaction that wants it.
pub async fn ask(db: impl PgExecutor<'_>, provider: &str, task: &Task) -> Result<()> {
    let body = serde_json::to_value(task).expect("plain data");
    store::add_task(db, provider, task.about(), body, task.supersedes()).await
}

/// Does what is due until shutdown; what fails is tried again, ever later.
pub async fn work(providers: Vec<Arc<dyn PaymentProvider>>, db: Db, shutdown: Shutdown) {
    loop {
        let more = match work_one(&providers, &db).await {
            Ok(more) => more,
            Err(error) => {
                metrics::counter!("payment_tasks_failed_total").increment(1);
                tracing::warn!(%error, "a payment provider did not do what it was told; tried again later");
                false
            }
        };
        let pause = if more { Duration::ZERO } else { LOOK };
        tokio::select! { () = tokio::time::sleep(pause) => {}, () = shutdown.wait() => return }
    }
}

async fn work_one(providers: &[Arc<dyn PaymentProvider>], db: &Db) -> Result<bool> {
    let names: Vec<String> = providers.iter().map(|p| p.name().to_owned()).collect();
    let Some((id, name, body)) = store::next_task(db, &names).await? else { return Ok(false) };
    let Some(provider) = providers.iter().find(|p| p.name() == name) else { return Ok(false) };
    match serde_json::from_value::<Task>(body) {
        Ok(task) => match perform(provider.as_ref(), id, &task).await {
            // Asked again, the answer would be the same, and what comes after it would wait for ever.
            Err(Error::ProviderNever(why)) => {
                tracing::error!(task.id = %id, ?task, why, "a payment provider refused a task; it is dropped");
            }
            done => done?,
        },
        Err(error) => tracing::error!(%error, task.id = %id, "a task that is not understood is dropped"),
    }
    store::task_done(db, id).await?;
    Ok(true)
}

async fn perform(provider: &dyn PaymentProvider, id: Uuid, task: &Task) -> Result<()> {
    match task {
        Task::Renew { subscription, on } => provider.renew(subscription, *on).await,
        Task::Change { subscription, plan, period } => provider.change(subscription, *plan, *period).await,
        Task::End { subscription } => provider.end(subscription).await,
        Task::Refund { payment, amount } => provider.refund(payment, *amount, id).await,
    }
}
