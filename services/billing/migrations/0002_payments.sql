-- Subscriptions as they are paid for: terms, receipts, withdrawals, and what providers are still to be told.

alter table subscription
    add column provider      text,
    -- Under which the provider renews it, and whom it charges.
    add column provider_ref  text,
    add column customer      text,
    -- First payment; withdrawals count from here.
    add column started_at    timestamptz,
    add column next_plan     text check (next_plan in ('premium', 'deluxe')),
    add column next_period   text check (next_period in ('monthly', 'yearly')),
    -- How long somebody past due keeps access.
    add column grace_until   timestamptz,
    -- Newest word that was heeded; an older one undoes nothing.
    add column last_event_at timestamptz,
    -- Set when the account was erased: kept under a pseudonym, until then.
    add column kept_until    timestamptz;
create unique index subscription_provider_ref on subscription (provider, provider_ref);
create index subscription_kept on subscription (kept_until) where kept_until is not null;

alter table checkout
    -- What the unused part of an earlier plan takes off the price.
    add column credit     bigint not null default 0 check (credit >= 0),
    add column kept_until timestamptz;
create index checkout_user on checkout (user_id, created_at);
create index checkout_kept on checkout (kept_until) where kept_until is not null;

-- What one payment pays for.
create table term (
    id            uuid primary key,
    user_id       uuid        not null,
    subscription  uuid        not null,
    provider      text        not null,
    payment_ref   text        not null,
    provider_ref  text,
    plan          text        not null check (plan in ('premium', 'deluxe')),
    period        text        not null check (period in ('monthly', 'yearly')),
    currency      text        not null,
    promo_code    text,
    -- Minor units: what was paid, what that is worth with the credit of an earlier plan, what went back.
    amount        bigint      not null check (amount >= 0),
    value         bigint      not null check (value >= amount),
    refunded      bigint      not null default 0 check (refunded between 0 and amount),
    paid_at       timestamptz not null,
    starts_at     timestamptz not null,
    ends_at       timestamptz not null check (ends_at >= starts_at),
    -- Replaced or given back before its end.
    closed_at     timestamptz,
    -- The next month whose coins are due, counted from 0.
    month         int         not null default 0,
    coins_due_at  timestamptz,
    kept_until    timestamptz,
    constraint term_payment unique (provider, payment_ref)
);
create index term_provider_ref on term (provider, provider_ref);
create index term_user on term (user_id);
create index term_subscription on term (subscription, ends_at);
create index term_starts on term (starts_at) where closed_at is null;
create index term_coins on term (coins_due_at) where coins_due_at is not null and closed_at is null;
create index term_kept on term (kept_until) where kept_until is not null;

-- Receipts are numbered without gaps in each year: the counter's row is held until the receipt is written.
create table receipt_counter (
    year int primary key,
    last int not null
);
create table receipt (
    number     text primary key,
    user_id    uuid        not null,
    kind       text        not null check (kind in ('payment', 'refund', 'withdrawal')),
    plan       text        not null,
    period     text        not null,
    amount     bigint      not null,
    currency   text        not null,
    promo_code text,
    term       uuid,
    at         timestamptz not null,
    kept_until timestamptz
);
create index receipt_user on receipt (user_id, number desc);
create index receipt_kept on receipt (kept_until) where kept_until is not null;

create table withdrawal (
    id           uuid primary key,
    user_id      uuid        not null,
    subscription uuid        not null,
    refund       bigint      not null check (refund >= 0),
    currency     text        not null,
    begun_at     timestamptz not null default now(),
    confirmed_at timestamptz,
    receipt      text,
    kept_until   timestamptz
);
create index withdrawal_user on withdrawal (user_id);
create index withdrawal_kept on withdrawal (kept_until) where kept_until is not null;

-- What a provider is to do, written with the change that asks for it.
create table provider_task (
    id           uuid primary key,
    provider     text        not null,
    -- Tasks about one thing are done in their order.
    about        text        not null,
    body         jsonb       not null,
    attempts     int         not null default 0,
    available_at timestamptz not null default now()
);
create index provider_task_due on provider_task (available_at);
create index provider_task_about on provider_task (provider, about, id);

-- News of a subscription that came before the payment which began it.
create table webhook_parked (
    provider     text        not null,
    provider_ref text        not null,
    id           uuid        not null,
    body         jsonb       not null,
    at           timestamptz not null default now(),
    primary key (provider, provider_ref, id)
);
create index webhook_parked_at on webhook_parked (at);
create index webhook_seen_at on webhook_seen (at);

-- The sandbox provider's own books: what it charges, and when.
create table sandbox_mandate (
    id             uuid primary key,
    plan           text        not null,
    period         text        not null,
    amount         bigint      not null,
    currency       text        not null,
    anchor         timestamptz not null,
    months         int         not null,
    next_charge_at timestamptz,
    renews         boolean     not null default true,
    -- The card declines the next charges.
    fails          boolean     not null default false,
    tries          int         not null default 0
);
create index sandbox_mandate_due on sandbox_mandate (next_charge_at) where next_charge_at is not null;

alter table coin_tx drop constraint coin_tx_kind_check;
alter table coin_tx add constraint coin_tx_kind_check
    check (kind in ('grant', 'reserve', 'capture', 'release', 'withdraw'));
alter table coin_account add column kept_until timestamptz;
create index coin_account_kept on coin_account (kept_until) where kept_until is not null;
create index coin_entry_account on coin_entry (account, tx desc);
