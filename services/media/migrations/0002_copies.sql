-- Copies that are found again, pictures that are taken away, and files of people who are gone.

-- Hex SHA-256 of everything that a copy may be of: the file as it was sent, its pixels, what we serve and its
-- pixels. Pictures from before this table have none.
create table asset_hash (
    hash  text not null check (hash ~ '^[0-9a-f]{64}$'),
    asset text not null references asset on delete cascade,
    primary key (hash, asset)
);
create index asset_hash_asset on asset_hash (asset);

-- What reports say of pictures; the picture is away for as long as one of them says so, and may come later.
create table withdrawal (
    asset     text not null,
    report_id uuid not null,
    primary key (asset, report_id)
);
create index withdrawal_report on withdrawal (report_id);

-- When catalog last said something of a report, so that events out of order do no harm.
create table report_word (
    report_id uuid primary key,
    at        timestamptz not null
);

-- Pictures that may not come back.
create table banned_hash (
    hash      text not null,
    report_id uuid not null,
    primary key (hash, report_id)
);
create index banned_hash_report on banned_hash (report_id);

-- The portrait that a character shows, as catalog last said.
alter table character_state add column asset text not null default '';
-- Whoever made the character; it stays so when the character is handed to an anonymous owner.
alter table character_state add column maker uuid;
create index character_state_asset on character_state (asset) where asset <> '';

-- Files whose rows are gone: deleted after the transaction that says so.
create table doomed_file (
    asset text        primary key,
    at    timestamptz not null default now()
);

create index job_owner on job (owner);
