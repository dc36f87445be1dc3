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

create table applied (id uuid not null, version bigint not null);
