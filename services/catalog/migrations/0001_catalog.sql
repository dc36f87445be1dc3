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

-- Who made what: told by auth's events, and by the bearer of whoever creates first.
create table creator (
    user_id      uuid primary key,
    username     text    not null,
    avatar_asset text    not null default '',
    version      bigint  not null default 0,
    sample       boolean not null default false
);

-- Who may create: told by billing's events (docs/decisions/0004).
create table entitlement (
    user_id uuid primary key,
    plan    text        not null,
    until   timestamptz,
    version bigint      not null
);

create table tag (
    id       int generated always as identity primary key,
    slug     text not null unique,
    label    text not null,
    -- The group of the categories page; empty for a tag that somebody made up.
    category text not null default ''
);

create table character (
    id                   uuid primary key,
    owner                uuid        not null,
    name                 text        not null,
    age                  int         check (age >= 18),
    tags                 text[]      not null,
    description          text        not null,
    personality          text        not null,
    first_message        text        not null,
    scenario             text        not null,
    example_conversation text        not null,
    kinks                text[]      not null,
    outfit               text        not null,
    prompt               text        not null default '',
    nsfw                 boolean     not null,
    public               boolean     not null,
    deluxe               boolean     not null default false,
    is_ai_buddy          boolean     not null default false,
    state                text        not null default 'live' check (state in ('live', 'pending', 'removed')),
    image_asset          text        not null default '',
    gel                  text        not null default '',
    -- Version of the portrait that was asked for, and whether it has not arrived yet.
    portrait_version     bigint      not null default 0,
    portrait_pending     boolean     not null default false,
    sample               boolean     not null default false,
    shelf                text        check (shelf in ('discover', 'trending')),
    shelf_position       int         not null default 0,
    version              bigint      not null default 1,
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now()
);
create index character_by_owner on character (owner, created_at desc, id desc);
create index character_by_shelf on character (shelf, shelf_position) where shelf is not null;

-- Seeded figures stand apart, so that counts equal rows for everything else.
create table character_stats (
    character_id    uuid primary key references character on delete cascade,
    likes           bigint           not null default 0,
    dislikes        bigint           not null default 0,
    follows         bigint           not null default 0,
    reviews         bigint           not null default 0,
    rating_sum      bigint           not null default 0,
    messages        bigint           not null default 0,
    chats           bigint           not null default 0,
    seeded_likes    bigint           not null default 0,
    seeded_dislikes bigint           not null default 0,
    seeded_follows  bigint           not null default 0,
    seeded_messages bigint           not null default 0,
    seeded_chats    bigint           not null default 0,
    -- Log of the decayed sum of activity (architecture, rule 12).
    trend           double precision not null default -1000
);

create table reaction (
    character_id uuid        not null references character on delete cascade,
    user_id      uuid        not null,
    kind         text        not null check (kind in ('like', 'dislike')),
    at           timestamptz not null default now(),
    primary key (character_id, user_id)
);
create index reaction_by_user on reaction (user_id, at desc);

create table character_follow (
    user_id      uuid        not null,
    character_id uuid        not null references character on delete cascade,
    at           timestamptz not null default now(),
    primary key (user_id, character_id)
);
create index character_follow_newest on character_follow (user_id, at desc);

create table creator_follow (
    follower uuid    not null,
    followee uuid    not null,
    is_on    boolean not null,
    version  bigint  not null,
    primary key (follower, followee)
);

create table review (
    id           uuid primary key,
    character_id uuid        not null references character on delete cascade,
    user_id      uuid        not null,
    rating       int         not null check (rating between 1 and 5),
    comment      text        not null,
    created_at   timestamptz not null default now(),
    updated_at   timestamptz not null default now(),
    constraint review_once unique (character_id, user_id)
);
create index review_newest on review (character_id, created_at desc, id desc);

create table viewer (
    user_id      uuid primary key,
    nsfw_on      boolean     not null default false,
    confirmed_at timestamptz
);

create table block (
    user_id uuid not null,
    kind    text not null check (kind in ('tag', 'creator', 'character')),
    target  text not null,
    primary key (user_id, kind, target)
);

-- What the listing index is built from: small rows, each change with a higher seq.
create sequence listing_seq;
create table listing (
    ord          int generated always as identity primary key,
    character_id uuid             not null unique references character on delete cascade,
    creator_id   uuid             not null,
    tag_ids      int[]            not null,
    nsfw         boolean          not null,
    listed       boolean          not null,
    likes        bigint           not null,
    chats        bigint           not null,
    trend        double precision not null,
    published_at timestamptz      not null,
    seq          bigint           not null
);
create index listing_by_seq on listing (seq);

create table search_text (
    ord int primary key references listing on delete cascade,
    tsv tsvector not null
);
create index search_text_gin on search_text using gin (tsv) with (fastupdate = off);

-- Brings a character's listing row up to date: called by every writer, in its transaction.
create function list_character(which uuid) returns void language sql as $$
    -- Writers of one character come one after the other, so that none writes older counts back.
    select 1 from character_stats where character_id = which for update;
    insert into listing (character_id, creator_id, tag_ids, nsfw, listed, likes, chats, trend, published_at, seq)
    select c.id, c.owner,
           coalesce((select array_agg(t.id) from tag t where t.slug = any(c.tags)), '{}'),
           c.nsfw, c.public and c.state = 'live',
           s.likes + s.seeded_likes, s.chats + s.seeded_chats, s.trend, c.created_at, nextval('listing_seq')
    from character c join character_stats s on s.character_id = c.id where c.id = which
    on conflict (character_id) do update set tag_ids = excluded.tag_ids, nsfw = excluded.nsfw,
        listed = excluded.listed, likes = excluded.likes, chats = excluded.chats, trend = excluded.trend,
        published_at = excluded.published_at, seq = excluded.seq;
$$;

-- Brings a character's searched text up to date: called when its words change.
create function index_character(which uuid) returns void language sql as $$
    insert into search_text (ord, tsv)
    select l.ord,
           setweight(to_tsvector('simple', c.name), 'A')
           || setweight(to_tsvector('simple', array_to_string(c.tags, ' ') || ' ' || coalesce(k.username, '')), 'B')
           || setweight(to_tsvector('english', c.name || ' ' || c.description), 'C')
    from character c join listing l on l.character_id = c.id left join creator k on k.user_id = c.owner
    where c.id = which
    on conflict (ord) do update set tsv = excluded.tsv;
$$;
