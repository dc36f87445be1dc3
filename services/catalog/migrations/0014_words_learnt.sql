-- When the words of all cards were last learnt: to learn them takes PostgreSQL a core for 15 seconds with a million cards,
-- and every process that begins would do it again. Whoever changes what is learnt empties this.
create table words_learnt (
    at timestamptz not null
);
