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

-- A chat of one user with one character: a tree of messages with an active leaf.
create table chat (
    id              uuid primary key,
    user_id         uuid        not null,
    character_id    uuid        not null,
    -- As it was when last spoken to; the card may be gone.
    character_name  text        not null,
    -- Last message of the path that is shown; null only until the greeting is written.
    leaf_id         uuid,
    last_message    text        not null default '',
    last_message_at timestamptz not null default now(),
    created_at      timestamptz not null default now()
);
create index chat_of_user on chat (user_id, last_message_at desc, id desc);
create index chat_with_character on chat (user_id, character_id, last_message_at desc, id desc);

create table message (
    id            uuid primary key,
    chat_id       uuid        not null references chat on delete cascade,
    parent_id     uuid references message on delete cascade,
    -- Messages from the root to this one, both included.
    depth         int         not null check (depth > 0),
    sender        text        not null check (sender in ('user', 'character')),
    content       text        not null,
    state         text        not null check (state in ('complete', 'streaming', 'stopped', 'interrupted', 'failed', 'refused', 'pending')),
    reason        text        not null default '',
    generation_id uuid,
    engine        text        not null default '',
    created_at    timestamptz not null default now()
);
create index message_of_chat on message (chat_id, parent_id);
create index message_parent on message (parent_id);
alter table chat add constraint chat_leaf foreign key (leaf_id) references message on delete set null;
create index chat_leaf_id on chat (leaf_id);

-- A reply that is being written, or was. It belongs to the process `owner` while its lease lasts.
create table generation (
    id              uuid primary key,
    chat_id         uuid        not null references chat on delete cascade,
    message_id      uuid        not null references message on delete cascade,
    -- What it answers; null when the character goes on by itself.
    user_message_id uuid references message on delete set null,
    owner           uuid        not null,
    lease_until     timestamptz not null,
    state           text        not null check (state in ('running', 'done', 'stopped', 'interrupted', 'failed', 'refused')),
    reason          text,
    -- A Stop that arrived at another process; the owner sees it within a second.
    stop_asked      boolean     not null default false,
    -- Day whose usage it counts against, until it is given back.
    charged_on      date,
    charged_to      uuid        not null,
    -- What the character saw: blocks, tokens, included or dropped and why.
    manifest        jsonb       not null,
    created_at      timestamptz not null default now()
);
create unique index generation_one on generation (chat_id) where state = 'running';
create index generation_lease on generation (lease_until) where state = 'running';
create index generation_message on generation (message_id);
create index generation_user_message on generation (user_message_id);

-- The text so far, second by second; gone once the message holds it.
create table generation_text (
    generation_id uuid not null references generation on delete cascade,
    -- Byte at which the piece begins.
    off           int  not null,
    text          text not null,
    primary key (generation_id, off)
);

-- Replies of a calendar month and of a day (UTC).
create table usage (
    user_id      uuid not null,
    span         text not null check (span in ('month', 'day')),
    period_start date not null,
    used         int  not null check (used >= 0),
    primary key (user_id, span, period_start)
);

-- What catalog counts; insert only, summed and deleted every two seconds.
create table activity (
    id           bigint generated always as identity primary key,
    character_id uuid        not null,
    user_id      uuid        not null,
    kind         text        not null check (kind in ('message', 'chat')),
    at           timestamptz not null default now()
);
