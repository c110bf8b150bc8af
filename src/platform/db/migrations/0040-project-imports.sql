-- works with: 39
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
  -- The archive; forgotten at the end.
  file_id text references files (id) on delete restrict,
  -- In whose name an archive is read.
  author_id bigint references users (id) on delete set null,
  state import_state not null,
  -- Why it failed, in a sentence for people.
  error text check (length(error) <= 1000),
  created_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index project_imports_file on project_imports (file_id) where file_id is not null;
create index project_imports_author on project_imports (author_id) where author_id is not null;
