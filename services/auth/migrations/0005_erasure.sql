-- Who leaves: 30 days to change one's mind, then erased everywhere.
alter table account
    add column deletion_at timestamptz,
    -- What becomes of the characters.
    add column legacy      text check (legacy in ('remove', 'anonymise'));
create index account_deletion on account (deletion_at) where deletion_at is not null;

-- Which services have erased what they stored. The pseudonym is not kept here: it is tied to nobody.
create table erasure (
    user_id uuid primary key,
    at      timestamptz not null default now(),
    done    text[]      not null default '{}'
);
create index mail_recipient on mail (lower(recipient));
