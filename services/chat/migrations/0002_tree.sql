-- Branches, what is taken away and brought back, the order of the chats, and search in one's messages.

alter table chat
    -- Empty: it goes by the character's name.
    add column title      text        not null default '',
    add column pinned     boolean     not null default false,
    add column archived   boolean     not null default false,
    -- Taken away; erased a day later.
    add column deleted_at timestamptz;
create index chat_deleted on chat (deleted_at) where deleted_at is not null;

-- What was taken away at once: a message with all that followed from it, or everything but the greeting.
-- Erased a day later, and its messages with it.
create table removal (
    id         uuid primary key,
    chat_id    uuid        not null references chat on delete cascade,
    -- The message that was deleted; null when the chat was cleared.
    message_id uuid,
    -- Where the path ended before.
    leaf_id    uuid        not null,
    at         timestamptz not null default now()
);
create index removal_of_chat on removal (chat_id, at);
create index removal_at on removal (at);

alter table message
    -- Written by an edit.
    add column edited     boolean not null default false,
    -- What it is a copy of, when its chat is a fork.
    add column origin_id  uuid,
    add column removal_id uuid references removal on delete cascade,
    -- Taken away: in no path, prompt, search, count or file.
    add column deleted_at timestamptz,
    add constraint message_removed check ((removal_id is null) = (deleted_at is null));
create index message_removal on message (removal_id) where removal_id is not null;
-- For search. Found by the chats of one user, never over all messages: no index of its own.
alter table message add column words tsvector not null generated always as (to_tsvector('simple', content)) stored;
