-- works with: 50
-- Objects of Git LFS. Their bytes are in the file store, once for all who have them; a project has the objects that somebody has
-- uploaded to it.
create table lfs_objects (
  project_id bigint not null references projects (id) on delete cascade,
  file_id text not null references files (id) on delete restrict,
  -- In bytes, as the file's.
  size bigint not null check (size >= 0),
  -- Another project of the same forks counts it already.
  inherited boolean not null default false,
  created_at timestamptz(3) not null,
  primary key (project_id, file_id)
);
-- Who has a file, when it could be removed.
create index lfs_objects_file on lfs_objects (file_id);
-- What a project takes.
create index lfs_objects_counted on lfs_objects (project_id) include (size) where not inherited;
