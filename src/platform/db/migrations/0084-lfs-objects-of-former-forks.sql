-- works with: 50
-- A project that is a fork no more counts the objects that it has from its source.
create function count_inherited_lfs_objects() returns trigger language plpgsql as $$
begin
  update lfs_objects o set inherited = false from gone
    where o.project_id = gone.project_id and o.inherited
      and exists (select from projects p where p.id = gone.project_id);
  return null;
end
$$;
create trigger count_inherited after delete on project_forks referencing old table as gone
  for each statement execute function count_inherited_lfs_objects();
