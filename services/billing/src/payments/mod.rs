//! What providers tell, applied: each event once, in whatever order they come. Payments add up; other news
//! count only when nothing newer was heeded.

pub mod store;

use sqlx::PgTransaction;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{
    App,
    checkout::{self, Checkout},
    error::{Error, Result},
    events, limits,
    plans::{Period, Plan, Step, step},
    providers::{About, Event, Paid, Task, Webhook, ask},
    receipts::{self, Kind},
    subscriptions::{
        Status, Subscription, months_after, store as subscriptions,
        terms::{self, Term},
    },
};

impl App {
    /// Applies what a provider told, once.
    pub(crate) async fn take(&self, provider: &str, webhook: Webhook) -> Result<()> {
        let mut tx = self.db.begin().await?;
        if !store::first_sight(&mut *tx, provider, &webhook.id).await? {
            return Ok(());
        }
        let concerned = apply(&mut tx, provider, webhook.event).await?;
        tx.commit().await?;
        if let Some(user) = concerned {
            self.hint(user).await;
        }
        Ok(())
    }
}

/// Applies an event; answers whose subscription it was.
async fn apply(tx: &mut PgTransaction<'_>, provider: &str, event: Event) -> Result<Option<Uuid>> {
    match event {
        Event::Paid(paid) if matches!(paid.about, About::Checkout(_)) => begin(tx, provider, paid).await,
        Event::Refunded { payment, total, at } => refunded(tx, provider, &payment, total, at).await,
        Event::Ignored => Ok(None),
        news => match news.subscription().map(ToOwned::to_owned) {
            Some(reference) => about(tx, provider, &reference, news).await,
            None => Ok(None),
        },
    }
}

/// A first payment, and the news of its subscription that came before it.
async fn begin(tx: &mut PgTransaction<'_>, provider: &str, paid: Paid) -> Result<Option<Uuid>> {
    let About::Checkout(id) = paid.about else { return Ok(None) };
    if let Some(reference) = &paid.subscription {
        store::lock(&mut **tx, provider, reference).await?;
    }
    let Some(checkout) = checkout::store::pay(&mut **tx, id, provider).await? else {
        tracing::warn!(checkout.id = %id, "a payment for a checkout that is not there, or is paid");
        return Ok(None);
    };
    if paid.amount != checkout.amount || paid.currency != checkout.currency {
        tracing::error!(checkout.id = %id, paid.amount, expected = checkout.amount, "another amount was paid");
        return Err(Error::WebhookRefused("another amount"));
    }
    // What was paid is honoured, whoever took the promotion first.
    if let Some(code) = &checkout.promo_code {
        checkout::store::use_promo(&mut **tx, &checkout, code).await?;
    }
    purchase(tx, provider, &checkout, &paid).await?;
    if let Some(reference) = &paid.subscription {
        let mut waiting = store::unpark(&mut **tx, provider, reference).await?;
        waiting.sort_by_key(happened);
        for news in waiting {
            about(tx, provider, reference, news).await?;
        }
    }
    Ok(Some(checkout.user))
}

fn happened(event: &Event) -> Option<OffsetDateTime> {
    match event {
        Event::Paid(Paid { at, .. })
        | Event::PaymentFailed { at, .. }
        | Event::Canceled { at, .. }
        | Event::Refunded { at, .. } => Some(*at),
        Event::Ignored => None,
    }
}

/// The term that a payment pays for, before its time is known.
fn term(s: &Subscription, provider: &str, paid: &Paid, (plan, period): (Plan, Period)) -> Term {
    Term {
        id: Uuid::now_v7(),
        user: s.user,
        subscription: s.id,
        provider: provider.to_owned(),
        payment: paid.payment.clone(),
        provider_ref: paid.subscription.clone(),
        plan,
        period,
        currency: paid.currency.clone(),
        promo_code: None,
        amount: paid.amount,
        value: paid.amount,
        refunded: 0,
        paid_at: paid.at,
        starts_at: paid.at,
        ends_at: paid.at,
        month: 0,
    }
}

/// A checkout was paid: the plan begins, or replaces the one so far.
async fn purchase(
    tx: &mut PgTransaction<'_>,
    provider: &str,
    checkout: &Checkout,
    paid: &Paid,
) -> Result<()> {
    let mut s = subscriptions::lock(tx, checkout.user).await?;
    let to = (checkout.plan, checkout.period);
    let bought = Term {
        value: paid.amount + checkout.credit,
        promo_code: checkout.promo_code.clone(),
        ..term(&s, provider, paid, to)
    };
    if s.kept_until.is_some() {
        return give_back_whole(tx, bought).await;
    }
    let running = s.is_paid_at(paid.at);
    let open = if running { terms::of(&mut **tx, s.id, true).await? } else { Vec::new() };
    // The credit must still be there: it may have gone into another purchase, or back, since.
    let offered_at = checkout.expires_at - limits::CHECKOUT_LIFE - Duration::SECOND;
    if checkout.credit > open.iter().map(|t| t.unused(offered_at)).sum() {
        return give_back_whole(tx, bought).await;
    }
    let mut starts_at = paid.at;
    if running {
        match step((s.plan, s.period), to) {
            Step::Same if checkout.credit > 0 => return give_back_whole(tx, bought).await,
            Step::Same => starts_at = s.ends_at.unwrap_or(paid.at),
            Step::Up => {
                let left: i64 = open.iter().map(|t| t.unused(paid.at)).sum();
                give_back(tx, s.id, left - checkout.credit, Kind::Refund).await?;
                terms::close(&mut **tx, s.id, paid.at).await?;
            }
            // Two pages were open; the better plan stands.
            Step::Down => return give_back_whole(tx, bought).await,
        }
    } else {
        s.id = Uuid::now_v7();
        s.started_at = Some(paid.at);
    }
    let bought = Term {
        subscription: s.id,
        starts_at,
        ends_at: months_after(starts_at, checkout.period.months()),
        ..bought
    };
    if !terms::add(&mut **tx, &bought).await? {
        return Ok(());
    }
    if let Some((old, reference)) = s.mandate()
        && (old != provider || Some(reference) != paid.subscription.as_deref())
    {
        ask(&mut **tx, old, &Task::End { subscription: reference.to_owned() }).await?;
    }
    (s.plan, s.period, s.next) = (to.0, to.1, None);
    s.provider = Some(provider.to_owned());
    s.provider_ref.clone_from(&paid.subscription);
    s.customer.clone_from(&paid.customer);
    s.last_event_at = Some(paid.at);
    extend(tx, &mut s, &bought, true).await
}

/// The subscription lasts to the end of a new term.
async fn extend(tx: &mut PgTransaction<'_>, s: &mut Subscription, term: &Term, goes_on: bool) -> Result<()> {
    s.ends_at = Some(term.ends_at);
    s.last_payment_at = s.last_payment_at.max(Some(term.paid_at));
    if goes_on {
        s.go_on();
    }
    subscriptions::save(&mut **tx, s).await?;
    receipts::write(tx, Kind::Payment, term, term.amount).await?;
    terms::grant_due(tx, Some(s.id)).await?;
    events::entitlement_changed(tx, s, OffsetDateTime::now_utc()).await
}

/// News of a subscription that is renewed under `reference`.
async fn about(
    tx: &mut PgTransaction<'_>,
    provider: &str,
    reference: &str,
    news: Event,
) -> Result<Option<Uuid>> {
    store::lock(&mut **tx, provider, reference).await?;
    let Some(user) = subscriptions::owner(&mut **tx, provider, reference).await? else {
        match (terms::once_of(&mut **tx, provider, reference).await?, news) {
            // It was replaced or withdrawn from, and charged once more before the provider knew.
            (Some(user), Event::Paid(paid)) => {
                let s = subscriptions::lock(tx, user).await?;
                let of = paid.of.unwrap_or((Plan::Premium, Period::Monthly));
                give_back_whole(tx, term(&s, provider, &paid, of)).await?;
            }
            (Some(_), _) => {}
            (None, news) => store::park(&mut **tx, provider, reference, &news).await?,
        }
        return Ok(None);
    };
    let mut s = subscriptions::lock(tx, user).await?;
    if s.mandate() != Some((provider, reference)) {
        return Ok(None);
    }
    match news {
        Event::Paid(paid) => renew(tx, s, provider, &paid).await?,
        Event::PaymentFailed { at, .. } if s.last_event_at < Some(at) => {
            s.last_event_at = Some(at);
            if s.status == Status::Active {
                s.fail(at);
                subscriptions::save(&mut **tx, &mut s).await?;
                events::payment_failed(tx, &s).await?;
                events::entitlement_changed(tx, &s, OffsetDateTime::now_utc()).await?;
            }
        }
        Event::Canceled { canceled, at, .. } if s.last_event_at <= Some(at) => {
            s.last_event_at = Some(at);
            match s.status {
                // Somebody past due keeps what grace is left.
                Status::Active | Status::PastDue if canceled && s.is_paid_at(at) => s.cancel(),
                Status::Canceled if !canceled && s.is_paid_at(at) => s.go_on(),
                _ => return Ok(None),
            }
            subscriptions::save(&mut **tx, &mut s).await?;
            events::entitlement_changed(tx, &s, OffsetDateTime::now_utc()).await?;
        }
        _ => return Ok(None),
    }
    Ok(Some(user))
}

/// A renewal: another period from the end of the last one.
async fn renew(tx: &mut PgTransaction<'_>, mut s: Subscription, provider: &str, paid: &Paid) -> Result<()> {
    let of = paid.of.or(s.next).unwrap_or((s.plan, s.period));
    let over = s.status == Status::Inactive;
    // Who paid after access was gone gets the whole period from then.
    let starts_at = match s.ends_at {
        Some(end) if !over || end > paid.at - limits::GRACE => end,
        _ => paid.at,
    };
    let term =
        Term { starts_at, ends_at: months_after(starts_at, of.1.months()), ..term(&s, provider, paid, of) };
    if !terms::add(&mut **tx, &term).await? {
        return Ok(());
    }
    if s.next == Some(of) {
        s.next = None;
    }
    let now = OffsetDateTime::now_utc();
    if over || starts_at <= now {
        (s.plan, s.period) = of;
    }
    let newest = s.last_event_at <= Some(paid.at);
    if newest {
        s.last_event_at = Some(paid.at);
    }
    // A cancellation or a failure that is newer than this payment stays.
    let goes_on = newest || over || s.status == Status::Active;
    extend(tx, &mut s, &term, goes_on).await
}

/// A payment that buys nothing goes back, and what it would have renewed ends.
async fn give_back_whole(tx: &mut PgTransaction<'_>, bought: Term) -> Result<()> {
    let term = Term { ends_at: bought.starts_at, ..bought };
    if !terms::add(&mut **tx, &term).await? {
        return Ok(());
    }
    terms::close_one(&mut **tx, term.id).await?;
    receipts::write(tx, Kind::Payment, &term, term.amount).await?;
    if term.amount > 0 {
        terms::set_refunded(&mut **tx, term.id, term.amount).await?;
        receipts::write(tx, Kind::Refund, &term, term.amount).await?;
        let task = Task::Refund { payment: term.payment.clone(), amount: term.amount };
        ask(&mut **tx, &term.provider, &task).await?;
    }
    if let Some(subscription) = term.provider_ref {
        ask(&mut **tx, &term.provider, &Task::End { subscription }).await?;
    }
    Ok(())
}

/// Gives back `amount` of what a subscription has paid, of the newest payment first; answers the receipt.
pub async fn give_back(
    tx: &mut PgTransaction<'_>,
    subscription: Uuid,
    amount: i64,
    kind: Kind,
) -> Result<Option<receipts::Receipt>> {
    let (mut left, mut first) = (amount.max(0), None);
    for term in terms::of(&mut **tx, subscription, false).await? {
        let part = left.min(term.refundable());
        if part > 0 {
            left -= part;
            terms::set_refunded(&mut **tx, term.id, term.refunded + part).await?;
            let task = Task::Refund { payment: term.payment.clone(), amount: part };
            ask(&mut **tx, &term.provider, &task).await?;
        }
        first.get_or_insert(term);
    }
    match first {
        Some(term) if amount > 0 || kind == Kind::Withdrawal => {
            Ok(Some(receipts::write(tx, kind, &term, amount.max(0) - left).await?))
        }
        _ => Ok(None),
    }
}

/// So much of a payment has gone back: what we did not know of gets its receipt.
async fn refunded(
    tx: &mut PgTransaction<'_>,
    provider: &str,
    payment: &str,
    total: i64,
    at: OffsetDateTime,
) -> Result<Option<Uuid>> {
    let Some(term) = terms::of_payment(&mut **tx, provider, payment).await? else {
        // It may have overtaken its payment: the provider tells it again.
        tracing::warn!(payment, %at, "a refund of a payment that is not known");
        return Err(Error::Provider("a refund of a payment that is not known yet"));
    };
    let total = total.min(term.amount);
    if total <= term.refunded {
        return Ok(None);
    }
    terms::set_refunded(&mut **tx, term.id, total).await?;
    receipts::write(tx, Kind::Refund, &term, total - term.refunded).await?;
    Ok(Some(term.user))
}
