-- Copies that come while a picture is away, and what is forgotten of people and characters.

-- By what pictures are known that a report has taken away: whatever is known by one of these goes with them, also
-- when it comes later.
create table watched_hash (
    hash      text not null,
    report_id uuid not null,
    primary key (hash, report_id)
);
create index watched_hash_report on watched_hash (report_id);

-- Users that are erased: what was told of them before and comes late is not noted. Swept after a week.
create table erased (
    user_id uuid        primary key,
    at      timestamptz not null default now()
);
create index erased_at on erased (at);

-- Since when a character is deleted; swept once nobody can bring it back.
alter table character_state add column gone_at timestamptz;
create index character_state_gone on character_state (gone_at) where gone_at is not null;
create index character_state_maker on character_state (maker) where maker is not null;
