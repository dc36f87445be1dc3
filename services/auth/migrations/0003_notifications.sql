-- What has happened to people, for them to read.
create table notification (
    -- UUID v7: their order is that of time.
    id         uuid primary key,
    user_id    uuid        not null references account on delete cascade,
    kind       text        not null
               check (kind in ('follower', 'review', 'image_ready', 'image_failed', 'subscription', 'decision')),
    text       text        not null,
    link       text        not null,
    -- Whom or what it is about, so that nothing is told twice.
    about      uuid,
    read_at    timestamptz,
    created_at timestamptz not null default now()
);
create index notification_by_user on notification (user_id, id desc);
create index notification_unread on notification (user_id) where read_at is null;
create index notification_about on notification (user_id, kind, about);
create index notification_at on notification (created_at);

-- The plan that somebody was last told of.
create table told_plan (
    user_id uuid primary key references account on delete cascade,
    version bigint not null,
    plan    text   not null,
    status  text   not null
);
