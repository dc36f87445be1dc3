-- How a chat is written, where its user has set that; the default preset where there is no row.
create table chat_sampling (
    chat_id    uuid primary key references chat on delete cascade,
    -- A preset of the house by its word, or one of the user's by its UUID.
    preset     text        not null,
    -- What was set beyond the preset.
    values     jsonb       not null,
    updated_at timestamptz not null default now()
);

-- Presets of a user's own.
create table sampling_preset (
    id         uuid primary key,
    user_id    uuid        not null,
    label      text        not null,
    values     jsonb       not null,
    created_at timestamptz not null default now(),
    constraint sampling_preset_label unique (user_id, label)
);
