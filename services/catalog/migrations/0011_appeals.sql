-- Each side of a report may appeal, and whoever decided does not decide the appeal.

alter table report add column decided_by uuid;
alter table report add column appeal_decided_by uuid;
-- The appeal of the side that the columns without "other" are not of: one that was decided before, or, as long
-- as it has no reasons, one that waits for the other to be decided.
alter table report add column other_appeal text not null default '';
alter table report add column other_appealed_at timestamptz;
alter table report add column other_appeal_reasons text not null default '';
-- The decision whose effects hold while it is decided anew.
alter table report add column standing text;
-- The decision was taken back by an appeal of the person concerned.
alter table report add column undone boolean not null default false;

-- Intimate images come before all else, whatever is due when.
drop index report_queue;
create index report_queue on report ((kind <> 'intimate_image'), due_at, id) where state in ('open', 'appealed');
