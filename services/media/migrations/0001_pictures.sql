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

-- Stored pictures. The id is the address, so it is random (or, for seeded portraits, derived from a key).
create table asset (
    id         text        primary key constraint asset_id_hex check (id ~ '^[0-9a-f]{32}$'),
    -- Null for seeded portraits.
    owner      uuid,
    -- Served only with a live signature.
    private    boolean     not null,
    origin     text        not null check (origin in ('upload', 'drawn', 'seed')),
    width      integer     not null check (width > 0),
    height     integer     not null check (height > 0),
    -- Of the full rendition.
    bytes      bigint      not null check (bytes > 0),
    created_at timestamptz not null default now()
);
create index asset_owner on asset (owner, created_at);

-- What catalog last said of a character, so that events out of order do no harm.
create table character_state (
    character_id uuid   primary key,
    version      bigint not null,
    private      boolean not null
);

-- Pictures to be drawn. Coins are reserved under the id while a job is `unpaid`.
create table job (
    id           uuid        primary key,
    owner        uuid        not null,
    purpose      text        not null check (purpose in ('gallery', 'portrait')),
    character_id uuid,
    -- Of the portrait, counted by catalog; 1 for the gallery.
    version      bigint      not null,
    options      jsonb       not null,
    tags         text[]      not null,
    label        text        not null,
    private      boolean     not null,
    -- Deluxe goes first.
    priority     boolean     not null,
    cost         integer     not null check (cost >= 0),
    state        text        not null
        check (state in ('unpaid', 'queued', 'running', 'completed', 'failed', 'canceled')),
    reason       text        not null default '',
    attempts     integer     not null default 0,
    -- Not claimed before this.
    available_at timestamptz not null default now(),
    -- Who draws it, and until when that counts.
    worker       uuid,
    lease_until  timestamptz,
    asset        text        references asset (id),
    width        integer     not null default 0,
    height       integer     not null default 0,
    created_at   timestamptz not null default now(),
    ended_at     timestamptz,
    check ((purpose = 'portrait') = (character_id is not null)),
    check ((state = 'completed') = (asset is not null)),
    check ((state = 'running') = (worker is not null and lease_until is not null))
);
create unique index job_portrait on job (character_id, version) where state <> 'canceled';
create index job_gallery on job (owner, id desc) where purpose = 'gallery';
create index job_queued on job (available_at) where state = 'queued';
create index job_running on job (lease_until) where state = 'running';
create index job_unpaid on job (created_at) where state = 'unpaid';

-- When a user's job was last begun: whoever waited longest comes next.
create table turn (
    owner uuid        primary key,
    at    timestamptz not null
);
