-- works with: 50
-- Images of projects. A repository has a project's path and at most two levels below: `name` has those, and nothing for the
-- project's path itself, so that repositories follow a project that moves.
create type container_repository_status as enum ('delete_scheduled', 'delete_ongoing', 'delete_failed');

create table container_repositories (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects (id) on delete cascade,
  name text not null check (length(name) <= 255),
  status container_repository_status,
  -- When a cleanup policy has last begun on it.
  cleanup_policy_started_at timestamptz(3),
  created_at timestamptz(3) not null,
  unique (project_id, name)
);
create index container_repositories_status on container_repositories (id) where status is not null;

-- What a repository has, by its digest. Bytes are in the file store, once for all who have them.
create table container_blobs (
  id bigint generated always as identity primary key,
  repository_id bigint not null references container_repositories (id) on delete cascade,
  -- SHA-256.
  digest bytea not null check (length(digest) = 32),
  file_id text not null references files (id) on delete restrict,
  size bigint not null check (size >= 0),
  -- When somebody has last sent it or asked whether it is there, and so may be about to name it.
  touched_at timestamptz(3) not null,
  unique (repository_id, digest)
);
create index container_blobs_file on container_blobs (file_id);

create table container_manifests (
  id bigint generated always as identity primary key,
  repository_id bigint not null references container_repositories (id) on delete cascade,
  digest bytea not null check (length(digest) = 32),
  file_id text not null references files (id) on delete restrict,
  -- Of its own bytes, and with those of all that it names.
  size bigint not null check (size >= 0),
  total_size bigint not null check (total_size >= 0),
  media_type text not null check (length(media_type) <= 255),
  artifact_type text check (length(artifact_type) <= 255),
  config_digest bytea,
  annotations json,
  -- The manifest that it is about, which need not be there.
  subject bytea check (length(subject) = 32),
  created_at timestamptz(3) not null,
  touched_at timestamptz(3) not null,
  unique (repository_id, digest)
);
create index container_manifests_file on container_manifests (file_id);
create index container_manifests_subject on container_manifests (repository_id, subject, id) where subject is not null;

-- What manifests name. A blob or manifest that is named stays.
create table container_manifest_blobs (
  manifest_id bigint not null references container_manifests (id) on delete cascade,
  blob_id bigint not null references container_blobs (id),
  primary key (manifest_id, blob_id)
);
create index container_manifest_blobs_blob on container_manifest_blobs (blob_id);

create table container_manifest_children (
  manifest_id bigint not null references container_manifests (id) on delete cascade,
  child_id bigint not null references container_manifests (id),
  primary key (manifest_id, child_id)
);
create index container_manifest_children_child on container_manifest_children (child_id);

create table container_tags (
  repository_id bigint not null references container_repositories (id) on delete cascade,
  name text collate "C" not null check (length(name) <= 128),
  manifest_id bigint not null references container_manifests (id) on delete cascade,
  -- When it was first pushed, and when it has last got another manifest.
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (repository_id, name)
);
create index container_tags_manifest on container_tags (manifest_id);

-- Blobs that are being sent, in pieces: each is a file of its own until all are there, so that any process can go on.
create table container_uploads (
  id text primary key,
  repository_id bigint not null references container_repositories (id) on delete cascade,
  size bigint not null check (size >= 0),
  pieces integer not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index container_uploads_repository on container_uploads (repository_id);
create index container_uploads_age on container_uploads (updated_at);

create table container_upload_pieces (
  upload_id text not null references container_uploads (id) on delete cascade,
  position integer not null,
  file_id text not null references files (id) on delete restrict,
  primary key (upload_id, position)
);
create index container_upload_pieces_file on container_upload_pieces (file_id);

-- Bytes that the images of a project take.
create table container_sizes (
  project_id bigint primary key references projects (id) on delete cascade,
  size bigint not null
);

create function count_container_bytes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into container_sizes as s (project_id, size)
      select r.project_id, sum(a.size) from added a join container_repositories r on r.id = a.repository_id
      group by r.project_id order by r.project_id
      on conflict (project_id) do update set size = s.size + excluded.size;
  else
    -- Where the project goes, its row does, too. Where the repository goes, a trigger of its own counts.
    update container_sizes s set size = s.size - g.size
      from (select r.project_id, sum(d.size) as size from removed d join container_repositories r on r.id = d.repository_id
        group by r.project_id) as g
      where s.project_id = g.project_id;
  end if;
  return null;
end
$$;
create trigger count_added after insert on container_blobs referencing new table as added
  for each statement execute function count_container_bytes();
create trigger count_removed after delete on container_blobs referencing old table as removed
  for each statement execute function count_container_bytes();
create trigger count_added after insert on container_manifests referencing new table as added
  for each statement execute function count_container_bytes();
create trigger count_removed after delete on container_manifests referencing old table as removed
  for each statement execute function count_container_bytes();

-- Who may push to repositories and delete from them. A level of a role, or null for everybody who may otherwise.
create table container_repository_rules (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects (id) on delete cascade,
  repository_path_pattern text not null check (length(repository_path_pattern) <= 255),
  minimum_access_level_for_push text,
  minimum_access_level_for_delete text,
  created_at timestamptz(3) not null,
  constraint container_repository_rules_pattern_key unique (project_id, repository_path_pattern),
  check (minimum_access_level_for_push in ('maintainer', 'owner', 'admin')),
  check (minimum_access_level_for_delete in ('maintainer', 'owner', 'admin'))
);

-- The same of tags, by regular expressions. Without levels, what it matches is immutable.
create table container_tag_rules (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects (id) on delete cascade,
  tag_name_pattern text not null check (length(tag_name_pattern) <= 100),
  minimum_access_level_for_push text,
  minimum_access_level_for_delete text,
  created_at timestamptz(3) not null,
  constraint container_tag_rules_pattern_key unique (project_id, tag_name_pattern),
  check (minimum_access_level_for_push in ('maintainer', 'owner', 'admin')),
  check (minimum_access_level_for_delete in ('maintainer', 'owner', 'admin')),
  check ((minimum_access_level_for_push is null) = (minimum_access_level_for_delete is null))
);

-- When the cleanup policy of a project runs next; a row where one is enabled.
create table container_cleanup_runs (
  project_id bigint primary key references projects (id) on delete cascade,
  next_run_at timestamptz(3) not null
);
create index container_cleanup_runs_due on container_cleanup_runs (next_run_at);
