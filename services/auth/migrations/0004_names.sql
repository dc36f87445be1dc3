-- Names that look alike are one name.
alter table account
    -- The same rule as in `skeleton` of the accounts.
    add column skeleton text not null generated always as (
        replace(replace(translate(replace(lower(username), '_', ''), '01i5', 'olls'), 'rn', 'm'), 'vv', 'w')
    ) stored,
    -- Was there before the rule and looks like an older account; nobody loses their name.
    add column old_twin boolean not null default false;
update account a set old_twin = true
where exists (select 1 from account b where b.skeleton = a.skeleton and (b.created_at, b.id) < (a.created_at, a.id));
create unique index account_skeleton_once on account (skeleton) where not old_twin;

-- Mails that somebody has asked for, by an address that may be nobody's: looked up behind the answer, so
-- that its time tells nothing.
create table wish (
    id    uuid primary key,
    kind  text        not null check (kind in ('code', 'reset')),
    email text        not null,
    at    timestamptz not null default now()
);

-- Lists of people, page by page.
drop index follow_by_followee;
create index follow_by_followee on follow (followee, at desc, follower);
create index follow_by_follower on follow (follower, at desc, followee);

create index revocation_expiry on revocation (expires_at);
create index verification_expiry on verification (expires_at);
create index password_reset_expiry on password_reset (expires_at);
