-- States of content, deletion with time to change one's mind, cards that may be exported, suspension.

alter table character drop constraint character_state_check;
alter table character add constraint character_state_check
    -- limited: seen by address, in no list. quarantined: seen by its owner alone. removed: by a moderator.
    check (state in ('live', 'pending', 'limited', 'quarantined', 'removed'));
-- Taken off the stage by its owner; erased some time after.
alter table character add column deleted_at timestamptz;
-- Others may see, and take with them, what is written in the card.
alter table character add column exportable boolean not null default false;
create index character_deleted on character (deleted_at) where deleted_at is not null;

-- Told by auth's events; a version of its own, since other events tell of names.
alter table creator add column suspended boolean not null default false;
alter table creator add column suspended_version bigint not null default 0;
-- Seeded figures stand apart.
alter table creator add column seeded_followers bigint not null default 0;

-- The one condition for being in a list that others see.
create function is_listed(c "character") returns boolean language sql stable as $$
    select c.public and c.state = 'live' and c.deleted_at is null
        and not exists (select 1 from creator k where k.user_id = c.owner and k.suspended);
$$;

create index block_by_target on block (kind, target);
alter table block add column at timestamptz not null default now();

-- Whether a reader has blocked what a character is, has, or is from. One's own are never hidden by it.
create function is_hidden(c "character", reader uuid) returns boolean language sql stable as $$
    select c.owner is distinct from reader and exists (
        select 1 from block b where b.user_id = reader and (
            b.kind = 'character' and b.target = c.id::text
            or b.kind = 'creator' and b.target = c.owner::text
            or b.kind = 'tag' and (b.target = any(c.tags) or b.target = 'nsfw' and c.nsfw)));
$$;

-- A creator's characters as a reader sees them: those that are listed, and all of them for the creator.
create function characters_of(creator uuid, reader uuid) returns setof "character" language sql stable as $$
    select c.* from character c
    where c.owner = creator and c.state <> 'removed' and c.deleted_at is null
        and (c.owner = reader or is_listed(c) and not is_hidden(c, reader));
$$;

create or replace function list_character(which uuid) returns void language sql as $$
    -- Writers of one character come one after the other, so that none writes older counts back.
    select 1 from character_stats where character_id = which for update;
    insert into listing (character_id, creator_id, tag_ids, nsfw, listed, likes, chats, trend, published_at, seq)
    select c.id, c.owner,
           coalesce((select array_agg(t.id) from tag t where t.slug = any(c.tags)), '{}'),
           c.nsfw, is_listed(c),
           s.likes + s.seeded_likes, s.chats + s.seeded_chats, s.trend, c.created_at, nextval('listing_seq')
    from character c join character_stats s on s.character_id = c.id where c.id = which
    on conflict (character_id) do update set creator_id = excluded.creator_id, tag_ids = excluded.tag_ids,
        nsfw = excluded.nsfw, listed = excluded.listed, likes = excluded.likes, chats = excluded.chats,
        trend = excluded.trend, published_at = excluded.published_at, seq = excluded.seq;
$$;

-- What has left the listing for good, for the indexes that still hold it; swept after a day.
create table listing_gone (
    ord int primary key,
    seq bigint      not null default nextval('listing_seq'),
    at  timestamptz not null default now()
);
create index listing_gone_by_seq on listing_gone (seq);

create function tell_gone() returns trigger language plpgsql as $$
begin
    insert into listing_gone (ord) values (old.ord) on conflict do nothing;
    return null;
end;
$$;
create trigger listing_gone after delete on listing for each row execute function tell_gone();
