-- A page of a gallery is found in this index alone, however many pages lie before it: the one that it replaces left out
-- neither what was canceled nor what was taken away, so that each row before the page was read.
create index job_shown on job (owner, id desc)
    where purpose = 'gallery' and state not in ('unpaid', 'canceled') and deleted_at is null;
drop index job_gallery;
