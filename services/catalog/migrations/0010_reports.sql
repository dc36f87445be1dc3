-- Reports, complaints, removal requests and copyright notices, with what was decided and done.

alter table character drop constraint if exists character_state_check;
alter table character add constraint character_state_check
    -- limited: seen by address, in no list. quarantined: seen by its owner alone. removed: by a moderator.
    check (state in ('live', 'pending', 'limited', 'quarantined', 'removed'));

create table report (
    id              uuid        primary key,
    -- The reporter's number; who has it may read.
    receipt         text        not null constraint report_receipt unique,
    kind            text        not null
        check (kind in ('report', 'complaint', 'removal', 'dmca', 'counter_notice', 'intimate_image')),
    subject_kind    text        not null check (subject_kind in ('character', 'review', 'user', 'image', 'other')),
    subject_id      text        not null,
    subject_label   text        not null,
    reason          text        not null,
    body            text        not null,
    sworn           boolean     not null,
    -- Hex SHA-256 of the picture that was sent, and the stored pictures that it is about.
    hashes          text[]      not null,
    assets          text[]      not null,
    -- Null for visitors. After erasure it is the pseudonym.
    reporter        uuid,
    name            text        not null,
    email           text        not null,
    -- Whom it concerns, if that is known. After erasure it is the pseudonym.
    concerned       uuid,
    state           text        not null default 'open' check (state in ('open', 'decided', 'appealed', 'closed')),
    created_at      timestamptz not null,
    due_at          timestamptz not null,
    decision        text
        check (decision in ('none', 'limit', 'quarantine', 'remove', 'restore', 'suspend')),
    reasons         text        not null default '',
    decided_at      timestamptz,
    -- Of the statement of reasons: the concerned person's number.
    statement       text        constraint report_statement unique,
    appeal          text        not null default '',
    appealed_at     timestamptz,
    -- True when the person concerned appealed, false for the reporter.
    by_concerned    boolean     not null default false,
    appeal_reasons  text        not null default '',
    -- A removed review as it was.
    review          jsonb,
    kept_until      timestamptz,
    check ((state = 'open') = (decision is null)),
    check ((decision is null) = (decided_at is null))
);
create index report_queue on report (due_at, id) where state in ('open', 'appealed');
create index report_by_reporter on report (reporter, created_at desc) where reporter is not null;
create index report_by_email on report (lower(email), created_at desc) where email <> '';
create index report_by_concerned on report (concerned, created_at desc) where concerned is not null;
create index report_kept on report (kept_until) where kept_until is not null;

-- What reports do to characters: the gravest of them holds; without any, the state is what it was before.
create table report_effect (
    report_id    uuid not null references report on delete cascade,
    character_id uuid not null references character on delete cascade,
    state        text not null check (state in ('limited', 'quarantined', 'removed')),
    base_state   text not null,
    primary key (character_id, report_id)
);
create index report_effect_report on report_effect (report_id);

create index character_by_image on character (image_asset) where image_asset <> '';
create index creator_by_avatar on creator (avatar_asset) where avatar_asset <> '';
