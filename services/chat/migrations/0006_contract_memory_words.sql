-- Words of memories are compared where the prompt is made.
alter table memory drop column tsv;
