-- works with: 50
-- What somebody sent with a push, by `git push -o`: whoever records the push for a process that died knows it, too.
alter table reference_changes add column options jsonb;
