-- works with: 50
alter table container_cache_entries validate constraint container_cache_entries_digest_check;
