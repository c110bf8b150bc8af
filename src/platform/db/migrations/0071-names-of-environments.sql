-- works with: 50
-- outside a transaction
-- The name of a deleted environment is free at once.
create unique index concurrently if not exists environments_name on environments (project_id, name) where deleted_at is null;
create unique index concurrently if not exists environments_slug on environments (project_id, slug) where deleted_at is null;
alter table environments drop constraint if exists environments_name_key;
alter table environments drop constraint if exists environments_slug_key;
create index concurrently if not exists environments_deleted on environments (project_id) where deleted_at is not null;
-- Lists leave out what was deployed to those. They count in the index alone.
create index concurrently if not exists deployments_of_project on deployments (project_id, id) include (environment_id);
drop index concurrently if exists deployments_list;

-- The repositories of projects that are not on the default storage: for lists of projects by their storage.
create index concurrently if not exists repositories_elsewhere on repositories (storage, project_id)
  where kind = 'project' and storage <> 'default';
