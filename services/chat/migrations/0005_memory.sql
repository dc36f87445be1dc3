-- With which message the summary before it on the path ends; its own first one where there is none before it. Thus all that
-- hold on a path are found from the last one. Null until it is known: then the whole path is gone through.
alter table memory add column since_id uuid;
