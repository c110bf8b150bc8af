-- works with: 48
-- Snippets: a few files of a project or a person, in a repository of their own.
alter type repository_kind add value if not exists 'snippet' after 'group_wiki';

create table snippets (
  id bigint primary key default nextval('noteables_id_seq') references noteables (id) on delete cascade,
  -- Null for a snippet of a person.
  project_id bigint references projects (id) on delete cascade,
  author_id bigint not null references users (id),
  title text not null check (length(title) between 1 and 255),
  description text check (length(description) <= 1048576),
  visibility visibility not null,
  -- What git lists on the default branch, so that lists of snippets ask the database alone.
  file_paths text[] not null default '{}',
  created_at timestamptz(3) not null,
  user_agent text,
  ip text
);
create index snippets_project on snippets (project_id, created_at, id) where project_id is not null;
create index snippets_author on snippets (author_id, created_at, id);
create index snippets_in_projects on snippets (created_at, id) where project_id is not null;
-- What others see of persons' snippets.
create index snippets_public on snippets (created_at, id) where project_id is null and visibility = 'public';
create index snippets_internal on snippets (created_at, id) where project_id is null and visibility = 'internal';
create index snippets_created_at on snippets (created_at, id);

-- The program of the version before removes repositories without project and group, unless they wait for one. So those of
-- snippets wait for ever.
alter table repositories
  add column snippet_id bigint,
  add constraint repositories_snippet_id_fkey foreign key (snippet_id) references snippets (id) on delete set null not valid,
  add constraint repositories_one_owner check (num_nonnulls(project_id, group_id, snippet_id) <= 1) not valid;
