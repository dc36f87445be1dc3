-- Roles, the second step of a login, and suspension.

alter table account
    -- What the operator has granted; counts only in sessions that took the second step.
    add column roles            text[] not null default '{}',
    add column suspended_at     timestamptz,
    add column suspended_reason text   not null default '',
    -- What a suspended account goes back to.
    add column state_before     text check (state_before in ('unverified', 'active'));

alter table session
    add column stepped   boolean not null default false,
    -- Roles that the session has; a renewal keeps those that the account still has.
    add column roles     text[]  not null default '{}',
    add column time_zone text    not null default '';
create index session_ended on session (ended_at) where ended_at is not null;

-- The secret of an authenticator app, sealed with AUTH_KEY_SECRET.
create table two_step (
    user_id      uuid primary key references account on delete cascade,
    sealed       bytea  not null,
    confirmed_at timestamptz,
    -- The last time step that was used: a code is good for once.
    last_step    bigint not null default 0
);

create table recovery_code (
    user_id uuid  not null references account on delete cascade,
    hash    bytea not null,
    primary key (user_id, hash)
);
