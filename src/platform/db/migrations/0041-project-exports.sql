-- works with: 40
-- Exports: an archive of a project, for those who may have it.
create type export_state as enum ('queued', 'started', 'finished', 'failed');

create table project_exports (
  project_id bigint primary key references projects (id) on delete cascade,
  state export_state not null,
  -- What the project is to be called in the archive, instead of its own description.
  description text check (length(description) <= 2000),
  -- The last archive that was finished; a newer one may be under way.
  file_id text references files (id) on delete restrict,
  requested_at timestamptz(3) not null,
  finished_at timestamptz(3)
);
create index project_exports_file on project_exports (file_id) where file_id is not null;
create index project_exports_finished on project_exports (finished_at) where file_id is not null;
