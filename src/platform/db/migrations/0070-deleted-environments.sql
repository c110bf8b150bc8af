-- works with: 50
-- A deleted environment is hidden until a job has removed it with its deployments, which may be many. Its name is free at once.

alter table environments
  add column deleted_at timestamptz(3),
  drop constraint environments_name_key,
  drop constraint environments_slug_key;
create unique index environments_name_key on environments (project_id, name) where deleted_at is null;
create unique index environments_slug_key on environments (project_id, slug) where deleted_at is null;
create index environments_deleted on environments (project_id) where deleted_at is not null;
