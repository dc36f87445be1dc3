-- The newest reviews of a character, without those of suspended writers. The page is cut before, on the index alone: a
-- late one costs what the first does, and hidden reviews make it shorter.
create function newest_reviews(about uuid, most bigint, skipped bigint)
    returns table (id uuid, user_id uuid, username text, avatar_asset text, rating int, comment text, created_at timestamptz)
    language sql stable as $$
    select r.id, r.user_id, coalesce(k.username, ''), coalesce(k.avatar_asset, ''), r.rating, r.comment, r.created_at
    from (select n.id from review n where n.character_id = about
          order by n.created_at desc, n.id desc limit most offset skipped) cut
        join review r on r.id = cut.id left join creator k on k.user_id = r.user_id
    where not coalesce(k.suspended, false)
    order by r.created_at desc, r.id desc
$$;
