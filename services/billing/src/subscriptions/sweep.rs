//! What the clock alone changes: ends, grace, coins of a new month, plans that were waited for, and the end
//! of what is kept.

use std::time::Duration;

use kit::shutdown::Shutdown;
use uuid::Uuid;

use super::{Status, store, terms};
use crate::{
    App, account_data, checkout,
    error::Result,
    events, limits, payments,
    providers::{Task, ask},
    withdrawals,
};

/// Between two looks: an end is told everywhere within a second.
const LOOK: Duration = Duration::from_millis(500);
/// Looks between two clearings of what is no longer kept.
const CLEAR_EVERY: u32 = 1_200;

/// Sweeps until shutdown.
pub(crate) async fn sweep(app: App, shutdown: Shutdown) {
    let mut looks = 0_u32;
    loop {
        if let Err(error) = once(&app).await {
            tracing::warn!(%error, "subscriptions not swept");
        }
        if looks.is_multiple_of(CLEAR_EVERY)
            && let Err(error) = clear(&app).await
        {
            tracing::warn!(%error, "what is no longer kept is not cleared");
        }
        looks = looks.wrapping_add(1);
        tokio::select! { () = tokio::time::sleep(LOOK) => {}, () = shutdown.wait() => return }
    }
}

async fn once(app: &App) -> Result<()> {
    // One whose turn fails holds up nobody else.
    for user in store::due(&app.db).await? {
        if let Err(error) = end(app, user).await {
            tracing::warn!(%error, user.id = %user, "a subscription did not end");
        }
    }
    for user in store::moved_on(&app.db).await? {
        if let Err(error) = move_on(app, user).await {
            tracing::warn!(%error, user.id = %user, "a subscription did not come to its next plan");
        }
    }
    let mut tx = app.db.begin().await?;
    let users = terms::grant_due(&mut tx, None).await?;
    tx.commit().await?;
    for user in users {
        app.notices.hint(user, "coins.changed", user.to_string()).await;
    }
    Ok(())
}

/// What is paid has ended: without a renewal grace begins, after it the subscription is over.
async fn end(app: &App, user: Uuid) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let now = kit::db::now(&mut *tx).await?;
    let mut s = store::lock(&mut tx, user).await?;
    // News may have come between the look and the lock.
    let Some(end) = s.ends_at.filter(|end| *end <= now) else { return Ok(()) };
    match s.status {
        Status::Inactive => return Ok(()),
        Status::Active if s.access_until() > Some(now) => return Ok(()),
        Status::Active => {
            s.fail(end);
            events::payment_failed(&mut tx, &s).await?;
        }
        Status::Canceled => s.end(now),
        Status::PastDue if s.access_until() > Some(now) => return Ok(()),
        Status::PastDue => {
            if let Some((provider, reference)) = s.mandate() {
                ask(&mut *tx, provider, &Task::End { subscription: reference.to_owned() }).await?;
            }
            s.end(now);
        }
    }
    store::save(&mut *tx, &mut s).await?;
    events::entitlement_changed(&mut tx, &s, now).await?;
    tx.commit().await?;
    app.hint(user).await;
    Ok(())
}

/// The next term has begun, and it is of another plan.
async fn move_on(app: &App, user: Uuid) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let now = kit::db::now(&mut *tx).await?;
    let mut s = store::lock(&mut tx, user).await?;
    let open = terms::of(&mut tx, s.id, true).await?;
    let Some(term) = open.iter().find(|t| t.starts_at <= now && now < t.ends_at) else { return Ok(()) };
    if s.status == Status::Inactive || (s.plan, s.period) == (term.plan, term.period) {
        return Ok(());
    }
    (s.plan, s.period) = (term.plan, term.period);
    store::save(&mut *tx, &mut s).await?;
    events::entitlement_changed(&mut tx, &s, now).await?;
    tx.commit().await?;
    app.hint(user).await;
    Ok(())
}

async fn clear(app: &App) -> Result<()> {
    let now = kit::db::now(&app.db).await?;
    account_data::store::clear(&app.db, now).await?;
    checkout::store::clear(&app.db, now - limits::OFFERS_KEPT).await?;
    withdrawals::store::clear(&app.db, now - limits::OFFERS_KEPT).await?;
    payments::store::clear(&app.db, now - limits::WEBHOOK_MEMORY, now - limits::PARKED).await
}
