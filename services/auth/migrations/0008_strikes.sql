-- What of somebody's was refused by a rule whose repeat suspends.
create table strike (
    id      uuid        primary key,
    user_id uuid        not null references account on delete cascade,
    -- Id of the rule ("minor.sexual").
    rule    text        not null,
    -- What it was, for people ("a message"); never its text.
    object  text        not null,
    -- Which service refused it.
    service text        not null,
    at      timestamptz not null,
    -- Whether it is the first of its occasion: slips of ten minutes are one.
    opens   boolean     not null
);
create index strike_of on strike (user_id, at desc);
