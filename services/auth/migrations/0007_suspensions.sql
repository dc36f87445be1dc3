-- Why somebody is suspended: one may be for several reasons at once, and comes back when none is left.
create table suspension (
    user_id uuid        not null references account on delete cascade,
    -- The report that was decided so, or 'moderator'.
    cause   text        not null,
    reason  text        not null,
    at      timestamptz not null default now(),
    primary key (user_id, cause)
);
-- Who was suspended before the causes were kept: a moderator lets them back in.
insert into suspension (user_id, cause, reason, at)
select id, 'moderator', suspended_reason, coalesce(suspended_at, now()) from account where state = 'suspended';

-- The few who are not seen in lists.
create index account_unseen on account (id) where state <> 'active';
