-- What a withdrawal was reckoned from; when that has changed, it is reckoned anew.
alter table withdrawal add column at_stake bigint;
create index withdrawal_unconfirmed on withdrawal (begun_at) where confirmed_at is null;

-- Coins that a month of a term has given: a month that begins while another of the same subscription runs
-- gives only what is more.
create table term_grant (
    term         uuid        not null references term on delete cascade,
    month        int         not null,
    subscription uuid        not null,
    coins        bigint      not null check (coins >= 0),
    starts_at    timestamptz not null,
    ends_at      timestamptz not null,
    primary key (term, month)
);
create index term_grant_subscription on term_grant (subscription, ends_at);

-- Refunds of payments that are not known: told again for a day, then given up.
create table refund_unknown (
    provider    text        not null,
    payment_ref text        not null,
    first_seen  timestamptz not null default now(),
    primary key (provider, payment_ref)
);
create index refund_unknown_seen on refund_unknown (first_seen);

-- What the sandbox charges from the next period on.
alter table sandbox_mandate
    add column next_plan   text,
    add column next_period text;

create index checkout_open on checkout (expires_at) where state = 'open';
