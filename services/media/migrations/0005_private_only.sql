-- Pictures that are never opened without a signature, whatever character shows them: those drawn with a choice that
-- is NSFW.
alter table asset add column must_be_private boolean not null default false;

-- Of what was drawn before the choices that are shipped are known; names of an operator's own are not.
update asset set must_be_private = true, private = true from job
where job.asset = asset.id
  and (job.options ->> 'face' = 'Orgasm Face' or job.options ->> 'pose' ~ '^Pose (1[1-9]|2[0-9]|3[0-3])$');
