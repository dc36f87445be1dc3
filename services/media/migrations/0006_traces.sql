-- The trace of whoever asked for the picture: a ticket says that a job is due, not which.
alter table job add column traceparent text;
