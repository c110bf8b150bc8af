-- works with: 37
-- Imports: where what a project began with comes from, and how far it is.
create type import_kind as enum ('git', 'gitlab_project');
create type import_state as enum ('scheduled', 'started', 'finished', 'failed');

create table project_imports (
  project_id bigint primary key references projects (id) on delete cascade,
  kind import_kind not null,
  -- The repository, without credentials; null for an archive.
  url text check (length(url) <= 2048),
  -- User name and password for the repository, sealed. Forgotten at the end.
  credentials bytea,
  state import_state not null,
  -- Why it failed, in a sentence for people.
  error text check (length(error) <= 1000),
  created_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
