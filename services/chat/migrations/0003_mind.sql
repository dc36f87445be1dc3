-- What a character remembers of a user: summaries of messages, and facts that the user wrote.
create table memory (
    id           uuid primary key,
    user_id      uuid        not null,
    character_id uuid        not null,
    -- Null: it holds in every chat with the character.
    chat_id      uuid references chat on delete cascade,
    kind         text        not null check (kind in ('summary', 'fact')),
    -- Empty for a summary that may not be told; it only marks its messages as done.
    text         text        not null,
    importance   smallint    not null default 3 check (importance between 1 and 5),
    pinned       boolean     not null default false,
    edited       boolean     not null default false,
    -- Messages that it was made from: it holds only on paths with all of them, and goes with any of them.
    sources      uuid[]      not null default '{}',
    -- The last of them.
    anchor_id    uuid,
    -- Of which model, and the vector it gave.
    embedder     text        not null default '',
    embedding    real[],
    tsv          tsvector    not null generated always as (to_tsvector('simple', text)) stored,
    created_at   timestamptz not null default now(),
    check ((kind = 'summary') = (anchor_id is not null)),
    check (kind = 'fact' or chat_id is not null)
);
create index memory_of_chat on memory (chat_id, created_at);
create index memory_of_user on memory (user_id, character_id, created_at desc, id desc);
create index memory_sources on memory using gin (sources);

-- What is deleted for good is forgotten as well.
create function forget_deleted() returns trigger language plpgsql as $$
begin
    delete from memory m using gone g where m.chat_id = g.chat_id and m.sources @> array[g.id];
    return null;
end $$;
create trigger message_forgotten after delete on message
    referencing old table as gone for each statement execute function forget_deleted();

-- Chats with messages to be summarised.
create table memory_job (
    chat_id     uuid primary key references chat on delete cascade,
    due_at      timestamptz not null default now(),
    -- Tries that failed in a row.
    attempts    int         not null default 0
);
create index memory_job_due on memory_job (due_at);

-- Lorebooks of users; those of characters stand in their cards.
create table lorebook (
    id            uuid primary key,
    user_id       uuid        not null,
    name          text        not null,
    enabled       boolean     not null default true,
    -- Empty: every character.
    character_ids uuid[]      not null default '{}',
    book          jsonb       not null,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now()
);
create index lorebook_of_user on lorebook (user_id, name, id);
