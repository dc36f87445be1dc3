-- Users that are erased: what was told of them before and comes late is not taken in. Swept after a week.
create table erased (
    user_id uuid primary key,
    at      timestamptz not null default now()
);
