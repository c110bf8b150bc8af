-- works with: 50
-- A digest by SHA-512 has 135 characters.
alter table container_cache_entries drop constraint container_cache_entries_digest_check;
alter table container_cache_entries add constraint container_cache_entries_digest_check
  check (length(digest) <= 135) not valid;

-- What images were kept in is large, and goes soon after the last entry for it: whoever is about to refer to the file has
-- five minutes. Other files that nothing refers to wait for a day.
create function hasten_container_files() returns trigger language plpgsql as $$
begin
  update files f set used_at = least(f.used_at, now() - interval '1 day' + interval '5 minutes')
  where f.id in (select file_id from gone)
    and not exists (select from container_cache_entries e where e.file_id = f.id);
  return null;
end
$$;
create trigger hasten_container_files after delete on container_cache_entries
  referencing old table as gone for each statement execute function hasten_container_files();
