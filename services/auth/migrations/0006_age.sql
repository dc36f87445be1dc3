-- When somebody was taken to be an adult, and by which rule.
alter table account
    add column age_assured_at timestamptz,
    add column age_rule       text not null default '';
