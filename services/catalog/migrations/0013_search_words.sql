-- What a character is found by, in one place for one character and for many at once.

create function searched_words(name text, tags text[], creator text, description text) returns tsvector
    language sql stable parallel safe as $$
    select setweight(to_tsvector('simple', name), 'A')
        || setweight(to_tsvector('simple', array_to_string(tags, ' ') || ' ' || creator), 'B')
        || setweight(to_tsvector('english', name || ' ' || description), 'C');
$$;

create or replace function index_character(which uuid) returns void language sql as $$
    insert into search_text (ord, tsv)
    select l.ord, searched_words(c.name, c.tags, coalesce(k.username, ''), c.description)
    from character c join listing l on l.character_id = c.id left join creator k on k.user_id = c.owner
    where c.id = which
    on conflict (ord) do update set tsv = excluded.tsv;
$$;

-- Words of all names, tags and creators; of descriptions, as many as a sample of 50,000 has: with a million characters
-- all of them took minutes each hour, and a word that no description of the sample has corrects hardly anybody.
create or replace function learn_words() returns void language plpgsql as $$
declare
    -- Percent of the descriptions that are read.
    share double precision := (select least(100, 5000000.0 / greatest(count(*), 1)) from listing);
begin
    delete from vocabulary;
    insert into vocabulary (word, df)
        select word, round(sum(n))::int
        from (
            select word, ndoc::double precision as n
            from ts_stat(format($words$
                select to_tsvector('simple', c.name || ' ' || array_to_string(c.tags, ' ')
                                             || ' ' || coalesce(k.username, '')
                                             || case when %s then ' ' || c.description else '' end)
                from listing l join character c on c.id = l.character_id left join creator k on k.user_id = c.owner
                where l.listed $words$, (share = 100)::text))
            union all
            select word, ndoc * 100 / share
            from ts_stat(format($words$
                select to_tsvector('simple', c.description)
                from character c tablesample system (%s) join listing l on l.character_id = c.id
                where l.listed and %s $words$, share, (share < 100)::text))) found
        where length(word) between 3 and 40
        group by word;
end;
$$;
