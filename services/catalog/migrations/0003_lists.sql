-- The groups of the categories page, in its order; the words that typing errors are measured against.

create extension if not exists pg_trgm;
create extension if not exists fuzzystrmatch;

create table category (
    name     text primary key,
    position int  not null,
    emoji    text not null
);
-- Within its group.
alter table tag add column position int not null default 0;

create table vocabulary (
    word text primary key,
    -- Characters that have it.
    df   int not null
);
create index vocabulary_alike on vocabulary using gin (word gin_trgm_ops);
create index vocabulary_beginning on vocabulary (word text_pattern_ops);

-- Learns the words of what is listed anew, as they are written: a stem is too far from what is typed.
create function learn_words() returns void language sql as $$
    delete from vocabulary;
    insert into vocabulary (word, df)
        select word, ndoc
        from ts_stat($words$
            select to_tsvector('simple', c.name || ' ' || array_to_string(c.tags, ' ') || ' ' || c.description
                                         || ' ' || coalesce(k.username, ''))
            from listing l join character c on c.id = l.character_id left join creator k on k.user_id = c.owner
            where l.listed $words$)
        where length(word) between 3 and 40;
$$;

-- Counting followers, and what is erased with a user.
create index creator_follow_by_followee on creator_follow (followee) where is_on;
create index review_by_user on review (user_id);
