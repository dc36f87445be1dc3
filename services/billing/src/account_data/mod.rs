//! What is stored about a user: given out whole, and erased. Books stay for six years, under a pseudonym.

mod grpc;
pub mod store;

use kit::db::Transaction;
use proto::events::v1::UserErased;
use uuid::Uuid;

use crate::{
    coins::store::{self as coins, End},
    error::Result,
    events, limits,
    providers::{Task, ask},
    subscriptions::{store as subscriptions, terms},
};

/// Ends what runs, and puts a pseudonym over what the law wants kept.
pub async fn erase(tx: &mut Transaction, event: &UserErased) -> anyhow::Result<()> {
    let (user, pseudonym) = (Uuid::try_parse(&event.user_id)?, Uuid::try_parse(&event.pseudonym)?);
    if store::is_erased(&mut **tx, pseudonym).await? {
        // Told again.
        events::erasure_done(tx, &event.user_id).await?;
        return Ok(());
    }
    end(tx, user).await?;
    let now = kit::db::now(&mut **tx).await?;
    store::rename(tx, user, pseudonym, now + limits::KEPT).await?;
    events::erasure_done(tx, &event.user_id).await?;
    Ok(())
}

async fn end(tx: &mut Transaction, user: Uuid) -> Result<()> {
    let now = kit::db::now(&mut **tx).await?;
    let mut s = subscriptions::lock(tx, user).await?;
    if let Some((provider, reference)) = s.mandate() {
        ask(&mut **tx, provider, &Task::End { subscription: reference.to_owned() }).await?;
    }
    terms::close(&mut **tx, s.id, now).await?;
    s.end(now);
    (s.provider_ref, s.customer) = (None, None);
    s.last_event_at = Some(now);
    subscriptions::save(&mut **tx, &mut s).await?;
    events::entitlement_changed(tx, &s, now).await?;
    // Nobody is left to spend them.
    for job in coins::reservations(&mut **tx, user).await? {
        coins::end(tx, user, job, End::Release, "Account erased").await?;
    }
    coins::withdraw(tx, user, Uuid::now_v7(), i64::MAX, "Account erased").await
}
