-- What every service's database stands on (crates/kit/sql/house.sql, the same text in each first migration).

-- Events to be published, written in the transaction of the change they tell of.
create table outbox (
    id           uuid primary key,
    topic        text        not null,
    body         bytea       not null,
    traceparent  text,
    available_at timestamptz not null default now()
);
create index outbox_due on outbox (available_at, id);

-- Events that were applied, remembered for seven days.
create table inbox (
    event_id uuid primary key,
    at       timestamptz not null default now()
);
create index inbox_at on inbox (at);

-- What was answered under an idempotency key, kept for 48 hours.
create table idempotency (
    owner       uuid        not null,
    op          text        not null,
    key         text        not null,
    hash        bytea       not null,
    state       text        not null check (state in ('running', 'done')),
    lease_until timestamptz not null,
    response    bytea,
    at          timestamptz not null default now(),
    primary key (owner, op, key)
);
create index idempotency_at on idempotency (at);

-- Subscriptions: one row per user who ever began a checkout.
create table subscription (
    user_id         uuid primary key,
    id              uuid        not null unique,
    status          text        not null check (status in ('inactive', 'active', 'past_due', 'canceled')),
    plan            text        not null check (plan in ('free', 'premium', 'deluxe')),
    period          text        check (period in ('monthly', 'yearly')),
    period_start    timestamptz,
    ends_at         timestamptz,
    next_payment_at timestamptz,
    last_payment_at timestamptz,
    version         bigint      not null default 0
);
create index subscription_ends on subscription (ends_at) where status <> 'inactive';

-- A choice of plan on its way to being paid.
create table checkout (
    id          uuid primary key,
    user_id     uuid        not null,
    provider    text        not null,
    plan        text        not null check (plan in ('premium', 'deluxe')),
    period      text        not null check (period in ('monthly', 'yearly')),
    -- Minor units of the currency, after the promotion.
    amount      bigint      not null check (amount >= 0),
    list_amount bigint      not null check (list_amount >= amount),
    currency    text        not null,
    promo_code  text,
    state       text        not null default 'open' check (state in ('open', 'submitted', 'paid', 'declined', 'canceled')),
    created_at  timestamptz not null default now(),
    expires_at  timestamptz not null
);

-- A promotion is taken once per account.
create table promo_use (
    user_id     uuid        not null,
    code        text        not null,
    checkout_id uuid        not null references checkout,
    at          timestamptz not null default now(),
    constraint promo_use_once primary key (user_id, code)
);

-- Webhooks that were applied; a repetition finds its id here.
create table webhook_seen (
    provider   text        not null,
    webhook_id text        not null,
    at         timestamptz not null default now(),
    primary key (provider, webhook_id)
);

-- Webhooks that the sandbox provider still has to deliver.
create table sandbox_delivery (
    id           text primary key,
    body         bytea       not null,
    attempts     int         not null default 0,
    available_at timestamptz not null default now()
);
create index sandbox_delivery_due on sandbox_delivery (available_at);

-- Coins: a double-entry ledger. Two accounts per user, two of the house; entries of a transaction sum to nothing.
create table coin_account (
    id      bigint generated always as identity primary key,
    user_id uuid,
    kind    text   not null check (kind in ('available', 'reserved', 'house_issued', 'house_earned')),
    balance bigint not null default 0,
    constraint coin_account_one unique nulls not distinct (user_id, kind),
    constraint coin_account_not_negative check (balance >= 0 or kind like 'house%')
);
insert into coin_account (user_id, kind) values (null, 'house_issued'), (null, 'house_earned');

create table coin_tx (
    id     uuid primary key,
    kind   text        not null check (kind in ('grant', 'reserve', 'capture', 'release')),
    ref    uuid        not null,
    reason text        not null,
    at     timestamptz not null default now(),
    constraint coin_tx_once unique (kind, ref)
);
-- What was reserved is either captured or released.
create unique index coin_tx_one_end on coin_tx (ref) where kind in ('capture', 'release');

create table coin_entry (
    tx      uuid   not null references coin_tx,
    account bigint not null references coin_account,
    amount  bigint not null check (amount <> 0),
    primary key (tx, account)
);

create function coin_tx_balances() returns trigger language plpgsql as $$
begin
    if (select coalesce(sum(amount), 0) from coin_entry where tx = new.tx) <> 0 then
        raise exception 'the entries of a coin transaction must sum to nothing' using constraint = 'coin_tx_balances';
    end if;
    return null;
end $$;
create constraint trigger coin_tx_balances after insert on coin_entry
    deferrable initially deferred for each row execute function coin_tx_balances();
