-- works with: 36
-- Forks: which project each of them comes from, and whether what it needs was copied.
create type fork_state as enum ('scheduled', 'finished', 'failed');

create table project_forks (
  project_id bigint primary key references projects (id) on delete cascade,
  source_id bigint not null references projects (id) on delete cascade,
  state fork_state not null,
  created_at timestamptz(3) not null,
  check (project_id <> source_id)
);
create index project_forks_source on project_forks (source_id, project_id);
