//! What providers tell, applied: each event once, in whatever order they come. Payments add up; other news
//! count only when nothing newer was heeded.

pub mod store;

use kit::db::Transaction;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{
    App,
    checkout::{self, Checkout},
    coins,
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

/// What became of a webhook that was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    Applied,
    /// It was told before.
    Before,
}

impl App {
    /// Applies what a provider told, once.
    pub(crate) async fn take(&self, provider: &str, webhook: Webhook) -> Result<Taken> {
        let mut tx = self.db.begin().await?;
        if !store::first_sight(&mut *tx, provider, &webhook.id).await? {
            return Ok(Taken::Before);
        }
        let concerned = match apply(&mut tx, provider, webhook.event).await {
            Err(Error::PaymentUnknown(payment)) => {
                tx.rollback().await?;
                self.wait_for_payment(provider, &payment).await?;
                return Ok(Taken::Applied);
            }
            applied => applied?,
        };
        tx.commit().await?;
        if let Some(user) = concerned {
            self.hint(user).await;
        }
        Ok(Taken::Applied)
    }
}

impl App {
    /// A refund may have overtaken its payment: the provider is to tell it again, but not for ever.
    async fn wait_for_payment(&self, provider: &str, payment: &str) -> Result<()> {
        let since = store::unknown_since(&self.db, provider, payment).await?;
        let waited = kit::db::now(&self.db).await? - since;
        if waited < limits::REFUND_PATIENCE {
            tracing::warn!(payment, "a refund of a payment that is not known yet");
            return Err(Error::Provider("a refund of a payment that is not known yet"));
        }
        tracing::error!(payment, "a refund of a payment that nobody has told of is given up");
        Ok(())
    }
}

/// Applies an event; answers whose subscription it was.
async fn apply(tx: &mut Transaction, provider: &str, event: Event) -> Result<Option<Uuid>> {
    match event {
        Event::Paid(paid) if matches!(paid.about, About::Checkout(_)) => begin(tx, provider, paid).await,
        Event::Refunded { payment, total, .. } => refunded(tx, provider, &payment, total).await,
        Event::Ignored => Ok(None),
        news => match news.subscription().map(ToOwned::to_owned) {
            Some(reference) => about(tx, provider, &reference, news).await,
            None => Ok(None),
        },
    }
}

/// A first payment, and the news of its subscription that came before it.
async fn begin(tx: &mut Transaction, provider: &str, paid: Paid) -> Result<Option<Uuid>> {
    let About::Checkout(id) = paid.about else { return Ok(None) };
    if let Some(reference) = &paid.subscription {
        store::lock(&mut **tx, provider, reference).await?;
    }
    let Some(checkout) = checkout::store::find(&mut **tx, id, provider).await? else {
        return give_back_unknown(tx, provider, id, paid).await;
    };
    let first = checkout::store::pay(&mut **tx, id, provider).await?;
    if first.is_some() && paid.amount == checkout.amount && paid.currency == checkout.currency {
        purchase(tx, provider, &checkout, &paid).await?;
    } else {
        mistaken(tx, provider, &checkout, &paid).await?;
    }
    if let Some(reference) = &paid.subscription {
        let mut waiting = store::unpark(&mut **tx, provider, reference).await?;
        waiting.sort_by_key(happened);
        for news in waiting {
            about(tx, provider, reference, news).await?;
        }
    }
    Ok(Some(checkout.user))
}

/// Money for a checkout that was paid before, or another sum than was asked for: told again, it would not come
/// out right either, so that it goes back.
async fn mistaken(tx: &mut Transaction, provider: &str, checkout: &Checkout, paid: &Paid) -> Result<()> {
    let s = subscriptions::lock(tx, checkout.user).await?;
    let mut bought = term(&s, provider, paid, (checkout.plan, checkout.period));
    // What runs under the same id was paid for.
    bought.provider_ref = bought.provider_ref.filter(|r| s.mandate() != Some((provider, r.as_str())));
    if give_back_whole(tx, bought).await? {
        tracing::error!(checkout.id = %checkout.id, payment = paid.payment, paid.amount, paid.currency,
            expected = checkout.amount, "a payment that was not asked for goes back");
    }
    Ok(())
}

/// Nobody is known who could get a receipt; the money goes back all the same.
async fn give_back_unknown(
    tx: &mut Transaction,
    provider: &str,
    checkout: Uuid,
    paid: Paid,
) -> Result<Option<Uuid>> {
    tracing::error!(checkout.id = %checkout, payment = paid.payment, paid.amount, paid.currency,
        "a payment for a checkout that is not there goes back");
    if paid.amount > 0 {
        let task = Task::Refund { payment: paid.payment, amount: paid.amount };
        ask(&mut **tx, provider, &task).await?;
    }
    if let Some(subscription) = paid.subscription {
        ask(&mut **tx, provider, &Task::End { subscription }).await?;
    }
    Ok(None)
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
        closed: false,
    }
}

/// A checkout was paid: the plan begins, or replaces the one so far.
async fn purchase(tx: &mut Transaction, provider: &str, checkout: &Checkout, paid: &Paid) -> Result<()> {
    let mut s = subscriptions::lock(tx, checkout.user).await?;
    let to = (checkout.plan, checkout.period);
    let bought = Term {
        value: paid.amount + checkout.credit,
        promo_code: checkout.promo_code.clone(),
        ..term(&s, provider, paid, to)
    };
    let running = s.is_paid_at(paid.at);
    let open = if running { terms::of(tx, s.id, true).await? } else { Vec::new() };
    // The credit must still be there: it may have gone into another purchase, or back, since.
    let offered_at = checkout.expires_at - limits::CHECKOUT_LIFE - Duration::SECOND;
    let credit: i64 = open.iter().map(|t| t.unused(offered_at)).sum();
    let step = running.then(|| step((s.plan, s.period), to));
    let refused = s.kept_until.is_some()
        || checkout.credit > credit
        || match step {
            // Cheaper periods are not saved up: another page was open. Somebody past due pays for the next one.
            Some(Step::Same) => {
                checkout.credit > 0 || (checkout.promo_code.is_some() && s.status != Status::PastDue)
            }
            // Two pages were open; the better plan stands.
            Some(Step::Down) => true,
            Some(Step::Up) | None => false,
        };
    // Last of all, so that what goes back leaves the promotion to be used.
    if refused || !promotion_holds(tx, checkout).await? {
        give_back_whole(tx, bought).await?;
        return Ok(());
    }
    let mut starts_at = paid.at;
    if let Some(step) = step {
        if step == Step::Same {
            starts_at = s.ends_at.unwrap_or(paid.at);
        } else {
            let left: i64 = open.iter().map(|t| t.unused(paid.at)).sum();
            give_back(tx, s.id, left - checkout.credit, Kind::Refund).await?;
            terms::close(&mut **tx, s.id, paid.at).await?;
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

/// Whether the checkout has no promotion, or is the one of its account that may have it.
async fn promotion_holds(tx: &mut Transaction, checkout: &Checkout) -> Result<bool> {
    match &checkout.promo_code {
        Some(code) => checkout::store::use_promo(&mut **tx, checkout, code).await,
        None => Ok(true),
    }
}

/// The subscription lasts to the end of a new term.
async fn extend(tx: &mut Transaction, s: &mut Subscription, term: &Term, goes_on: bool) -> Result<()> {
    s.ends_at = Some(term.ends_at);
    s.last_payment_at = s.last_payment_at.max(Some(term.paid_at));
    if goes_on {
        s.go_on();
    }
    subscriptions::save(&mut **tx, s).await?;
    receipts::write(tx, Kind::Payment, term, term.amount).await?;
    terms::grant_due(tx, Some(s.id)).await?;
    let now = kit::db::now(&mut **tx).await?;
    events::entitlement_changed(tx, s, now).await
}

/// News of a subscription that is renewed under `reference`.
async fn about(tx: &mut Transaction, provider: &str, reference: &str, news: Event) -> Result<Option<Uuid>> {
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
                let now = kit::db::now(&mut **tx).await?;
                events::entitlement_changed(tx, &s, now).await?;
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
            let now = kit::db::now(&mut **tx).await?;
            events::entitlement_changed(tx, &s, now).await?;
        }
        _ => return Ok(None),
    }
    Ok(Some(user))
}

/// A renewal: another period from the end of the last one.
async fn renew(tx: &mut Transaction, mut s: Subscription, provider: &str, paid: &Paid) -> Result<()> {
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
    let now = kit::db::now(&mut **tx).await?;
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

/// A payment that buys nothing goes back, and what it would have renewed ends; false when it was counted before.
async fn give_back_whole(tx: &mut Transaction, bought: Term) -> Result<bool> {
    let term = Term { ends_at: bought.starts_at, ..bought };
    if !terms::add(&mut **tx, &term).await? {
        return Ok(false);
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
    Ok(true)
}

/// Gives back `amount` of what a subscription has paid, of the newest payment first; answers the receipt.
pub async fn give_back(
    tx: &mut Transaction,
    subscription: Uuid,
    amount: i64,
    kind: Kind,
) -> Result<Option<receipts::Receipt>> {
    let (mut left, mut first) = (amount.max(0), None);
    for term in terms::of(tx, subscription, false).await? {
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

/// So much of a payment has gone back: what we did not know of gets its receipt, and what went back whole
/// gives nothing more.
async fn refunded(tx: &mut Transaction, provider: &str, payment: &str, total: i64) -> Result<Option<Uuid>> {
    let Some(user) = terms::payer(&mut **tx, provider, payment).await? else {
        return Err(Error::PaymentUnknown(payment.to_owned()));
    };
    // The subscription first, as everywhere, so that nobody reckons with what is about to go.
    let mut s = subscriptions::lock(tx, user).await?;
    let Some(term) = terms::of_payment(tx, provider, payment).await? else { return Ok(None) };
    let total = total.min(term.amount);
    if total <= term.refunded {
        return Ok(None);
    }
    terms::set_refunded(&mut **tx, term.id, total).await?;
    receipts::write(tx, Kind::Refund, &term, total - term.refunded).await?;
    if total == term.amount && term.subscription == s.id && !term.closed {
        take_back(tx, &mut s, &term).await?;
    }
    Ok(Some(user))
}

/// A term whose payment went back whole: its coins go, and with the term that runs goes the subscription.
async fn take_back(tx: &mut Transaction, s: &mut Subscription, term: &Term) -> Result<()> {
    let now = kit::db::now(&mut **tx).await?;
    terms::close_one(&mut **tx, term.id).await?;
    let granted = terms::granted_by(&mut **tx, term.id).await?;
    coins::store::withdraw(tx, s.user, term.id, granted, "Coins of a payment that went back").await?;
    if s.status == Status::Inactive {
        return Ok(());
    }
    let rest = terms::of(tx, s.id, true).await?;
    if rest.iter().any(|t| t.starts_at <= now && now < t.ends_at) {
        // It was over, or had not begun: the rest stays.
        s.ends_at = rest.iter().map(|t| t.ends_at).max();
        s.next_payment_at = s.next_payment_at.and(s.ends_at);
    } else {
        let unused: i64 = rest.iter().map(|t| t.unused(now)).sum();
        give_back(tx, s.id, unused, Kind::Refund).await?;
        terms::close(&mut **tx, s.id, now).await?;
        if let Some((provider, reference)) = s.mandate() {
            ask(&mut **tx, provider, &Task::End { subscription: reference.to_owned() }).await?;
        }
        s.end(now);
        // What the provider may still charge under this id goes back.
        s.provider_ref = None;
    }
    s.last_event_at = s.last_event_at.max(Some(now));
    subscriptions::save(&mut **tx, s).await?;
    events::entitlement_changed(tx, s, now).await
}
