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

create table account (
    id               uuid primary key,
    email            text        not null,
    username         text        not null,
    password_hash    text        not null,
    state            text        not null default 'unverified' check (state in ('unverified', 'active', 'suspended')),
    bio              text        not null default '',
    avatar_asset     text        not null default '',
    sponsor_me_link  text        not null default '',
    referral         text        not null default '',
    -- Seeded people and figures, apart from real ones: they go with one command.
    sample           boolean     not null default false,
    seeded_followers int         not null default 0,
    version          bigint      not null default 1,
    created_at       timestamptz not null default now()
);
create unique index account_email_once on account (lower(email));
create unique index account_username_once on account (lower(username));

-- One live code per user: what was mailed is kept only as a keyed hash.
create table verification (
    user_id    uuid primary key references account on delete cascade,
    hash       bytea       not null,
    expires_at timestamptz not null,
    tries      int         not null default 0
);
create index verification_hash on verification (hash);

create table password_reset (
    hash       bytea primary key,
    user_id    uuid        not null references account on delete cascade,
    expires_at timestamptz not null
);
create index password_reset_user on password_reset (user_id);

create table session (
    id            uuid primary key,
    user_id       uuid        not null references account on delete cascade,
    device        text        not null,
    browser       text        not null,
    ip            text        not null,
    location      text        not null,
    created_at    timestamptz not null default now(),
    last_login_at timestamptz not null default now(),
    ended_at      timestamptz
);
create index session_by_user on session (user_id, last_login_at desc) where ended_at is null;

create table revocation (
    id         bigint generated always as identity primary key,
    subject    text        not null,
    not_before timestamptz not null,
    expires_at timestamptz not null
);

-- Keys that sign tokens; the private part is sealed with AUTH_KEY_SECRET.
create table signing_key (
    kid        text primary key,
    sealed     bytea       not null,
    public     bytea       not null,
    signs_from timestamptz not null,
    retires_at timestamptz
);

create table follow (
    follower uuid        not null references account on delete cascade,
    followee uuid        not null references account on delete cascade,
    at       timestamptz not null default now(),
    primary key (follower, followee),
    constraint follow_not_self check (follower <> followee)
);
create index follow_by_followee on follow (followee, at desc);

create table persona (
    user_id     uuid    not null references account on delete cascade,
    id          text    not null,
    position    int     not null,
    name        text    not null,
    description text    not null,
    gender      text    not null check (gender in ('', 'male', 'female', 'trans', 'other')),
    is_default  boolean not null,
    primary key (user_id, id)
);
create unique index persona_one_default on persona (user_id) where is_default;

-- Mail on its way; deleted once it is delivered.
create table mail (
    id           uuid primary key,
    recipient    text        not null,
    subject      text        not null,
    body         text        not null,
    attempts     int         not null default 0,
    available_at timestamptz not null default now()
);
create index mail_due on mail (available_at);
