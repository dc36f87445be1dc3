-- Further parts of cards, the files they came in, and what keeps a character from others until it was looked at.

create table character_extras (
    character_id              uuid   primary key references character on delete cascade,
    alternate_greetings       text[] not null,
    -- JSON as it was written: jsonb would lose the order of keys and the spelling of numbers.
    character_book            text   not null,
    system_prompt             text   not null,
    post_history_instructions text   not null,
    creator_notes             text   not null,
    character_version         text   not null,
    nickname                  text   not null
);

-- The card that a character was made from, for its export.
create table card (
    character_id uuid primary key references character on delete cascade,
    json         text not null,
    -- The asset of media that its picture became; another one means that the picture was changed.
    portrait     text not null
);

create table card_file (
    character_id uuid  not null references card on delete cascade,
    n            int   not null,
    path         text  not null,
    data         bytea not null,
    primary key (character_id, n)
);

create table character_hold (
    character_id uuid        not null references character on delete cascade,
    -- rule: a moderator decides. check: the classifier has not answered. portrait: its picture waits in media.
    kind         text        not null check (kind in ('rule', 'check', 'portrait')),
    -- Id of the rule, or the asset.
    about        text        not null,
    -- Of the texts that it is about.
    digest       bytea       not null,
    since        timestamptz not null default now(),
    -- When it is asked about again.
    due_at       timestamptz not null default now(),
    tries        int         not null default 0,
    primary key (character_id, kind)
);
create index character_hold_due on character_hold (due_at) where kind <> 'rule';
create index character_hold_queue on character_hold (since, character_id) where kind = 'rule';
create index character_hold_portrait on character_hold (about) where kind = 'portrait';

-- The rule that keeps it out of lists; empty when none does.
alter table character add column limited_by text not null default '';
-- Digests of the texts that the classifier has passed, and that a moderator has.
alter table character add column checked bytea;
alter table character add column approved bytea;
