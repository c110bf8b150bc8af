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

-- Bytes that the objects of a project take, without the inherited ones.
create table lfs_sizes (
  project_id bigint primary key references projects (id) on delete cascade,
  size bigint not null
);

create function count_lfs_objects() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into lfs_sizes as s (project_id, size)
      select project_id, sum(size) from added where not inherited group by project_id order by project_id
      on conflict (project_id) do update set size = s.size + excluded.size;
  elsif tg_op = 'DELETE' then
    -- Where the project goes, its row does, too.
    update lfs_sizes s set size = s.size - r.size
      from (select project_id, sum(size) as size from removed where not inherited group by project_id) as r
      where s.project_id = r.project_id;
  else
    insert into lfs_sizes as s (project_id, size)
      select project_id, sum(size) from (
        select project_id, size from added where not inherited
        union all select project_id, -size from removed where not inherited) as c
      group by project_id order by project_id
      on conflict (project_id) do update set size = s.size + excluded.size;
  end if;
  return null;
end
$$;
create trigger count_added after insert on lfs_objects referencing new table as added
  for each statement execute function count_lfs_objects();
create trigger count_removed after delete on lfs_objects referencing old table as removed
  for each statement execute function count_lfs_objects();
create trigger count_changed after update on lfs_objects referencing old table as removed new table as added
  for each statement execute function count_lfs_objects();
