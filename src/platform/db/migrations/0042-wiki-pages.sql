-- works with: 41
-- Pages of wikis. Their texts are in Git; a row gives a page an id that survives renames, on which its notes are.
create table wiki_pages (
  id bigint primary key default nextval('noteables_id_seq') references noteables (id) on delete cascade,
  -- Of the project or group whose wiki it is.
  namespace_id bigint not null references namespaces (id) on delete cascade,
  -- The path of its file without the extension. Null when it is deleted and another page has taken its slug.
  slug text collate "C" check (octet_length(slug) between 1 and 1024),
  created_at timestamptz(3) not null,
  -- A page that comes back meanwhile is the same page. Later, a job removes the row.
  deleted_at timestamptz(3),
  constraint wiki_pages_slug_key unique (namespace_id, slug),
  check (slug is not null or deleted_at is not null)
);
create index wiki_pages_deleted on wiki_pages (deleted_at) where deleted_at is not null;
