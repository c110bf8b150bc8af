-- works with: 37
-- locks tables: before version 1 nobody has many rows here
-- Commits that somebody has spoken of: in a note on them, or in the message of a commit that mentions an issue.
create table noted_commits (
  id bigint primary key default nextval('noteables_id_seq') references noteables (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  sha text collate "C" not null check (sha ~ '^[0-9a-f]{40,64}$'),
  constraint noted_commits_key unique (project_id, sha)
);

-- Where notes stand on a diff. They are large and rare, and the list of notes is read far more often than written.
create table note_positions (
  note_id bigint primary key references notes (id) on delete cascade,
  -- As the API has it: src/planning/noteables/position.ts.
  position jsonb not null
);

-- The commit that closed an issue, for those who see the noteable of the commit.
alter table resource_events
  add column source_commit text collate "C",
  add column about_noteable_id bigint references noteables (id) on delete set null;
create index resource_events_about on resource_events (about_noteable_id) where about_noteable_id is not null;

-- Where the web pages were for whoever changes references: commits may name issues by their URLs.
alter table reference_changes add column site text;
