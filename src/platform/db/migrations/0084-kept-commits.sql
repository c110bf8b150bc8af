-- works with: 50
-- What the API shows of commits that somebody spoke of, so that lists of what they are about need not ask git. A row
-- is written before the note: one that nothing needs is harmless, and a commit never changes.
create table kept_commits (
  project_id bigint not null references projects (id) on delete cascade,
  sha text collate "C" not null check (sha ~ '^[0-9a-f]{40,64}$'),
  -- As in src/code/commits/entity.ts, without its address and with the beginning of its message.
  content jsonb not null,
  primary key (project_id, sha)
);
