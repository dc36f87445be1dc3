-- How far a drawing is, time to change one's mind, whether others may see a picture, and what pictures look like.

-- As the engine tells, 0 to 1.
alter table job add column progress real not null default 0 check (progress between 0 and 1);
-- Taken out of the gallery by its owner; erased a day after.
alter table job add column deleted_at timestamptz;
create index job_deleted on job (deleted_at) where deleted_at is not null;
create index job_asset on job (asset) where asset is not null;

-- Until it has passed, a picture is served with a signature alone. What was stored before has been seen by others.
alter table asset add column standing text not null default 'passed'
    check (standing in ('passed', 'waiting', 'refused'));
-- When the classifier is asked (again); null: nobody but a moderator decides.
alter table asset add column judge_at timestamptz;
create index asset_waiting on asset (created_at, id) where standing = 'waiting';
create index asset_judge on asset (judge_at) where judge_at is not null;

-- Perceptual hash, 256 bits: pictures that look alike differ in few of them. Null where it is not known.
alter table asset add column look bytea;
-- What may not come back, however it is packed, scaled or recoloured.
create table banned_look (
    look      bytea not null,
    report_id uuid   not null,
    primary key (look, report_id)
);
create index banned_look_report on banned_look (report_id);
