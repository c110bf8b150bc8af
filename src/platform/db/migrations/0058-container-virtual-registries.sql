-- works with: 50
-- Container virtual registries: registries of top-level groups, the upstreams that they pull from, and what of these is kept.

create table container_registries (
  id bigint primary key generated always as identity,
  group_id bigint not null references namespaces (id) on delete cascade,
  name text not null check (length(name) between 1 and 255),
  description text check (length(description) <= 1024),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index container_registries_group on container_registries (group_id, id);

create table container_upstreams (
  id bigint primary key generated always as identity,
  group_id bigint not null references namespaces (id) on delete cascade,
  url text not null check (length(url) between 1 and 255),
  name text collate "C" not null check (length(name) between 1 and 255),
  description text check (length(description) <= 1024),
  cache_validity_hours integer not null check (cache_validity_hours >= 0),
  username text check (length(username) <= 510),
  -- Sealed: see src/platform/key-ring/key-ring.ts.
  password bytea,
  -- The same for the same username and password, and nothing else can be told from it.
  credentials_digest bytea not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- What was kept until then counts as gone. A job removes the rows.
  purged_at timestamptz(3),
  -- Nobody sees it from then on. A job removes the row with what was kept.
  deleted_at timestamptz(3),
  check ((username is null) = (password is null))
);
create index container_upstreams_group on container_upstreams (group_id, id);
create unique index container_upstreams_url_key on container_upstreams (group_id, url, credentials_digest)
  where deleted_at is null;
create index container_upstreams_deleted on container_upstreams (id) where deleted_at is not null;

create table container_registry_upstreams (
  id bigint primary key generated always as identity,
  registry_id bigint not null references container_registries (id) on delete cascade,
  upstream_id bigint not null references container_upstreams (id) on delete cascade,
  position integer not null check (position between 1 and 20),
  constraint container_registry_upstreams_pair_key unique (registry_id, upstream_id),
  constraint container_registry_upstreams_position_key unique (registry_id, position) deferrable initially deferred
);
create index container_registry_upstreams_upstream on container_registry_upstreams (upstream_id);

create table container_cache_entries (
  id bigint primary key generated always as identity,
  upstream_id bigint not null references container_upstreams (id) on delete cascade,
  -- `library/alpine/manifests/latest`
  relative_path text collate "C" not null check (length(relative_path) between 1 and 600),
  -- The media types that whoever asked for it accepts, of manifests by tag; upstreams choose by them.
  accept text collate "C" not null default '' check (length(accept) <= 1024),
  file_id text not null references files (id) on delete restrict,
  digest text not null check (length(digest) <= 80),
  media_type text not null check (length(media_type) <= 255),
  size bigint not null,
  upstream_etag text check (length(upstream_etag) <= 255),
  -- When the upstream last said that it has this.
  upstream_checked_at timestamptz(3) not null,
  downloads_count bigint not null default 0,
  -- When it was last served, or else kept: the least recently used ones go first.
  downloaded_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint container_cache_entries_path_key unique (upstream_id, relative_path, accept)
);
create index container_cache_entries_upstream on container_cache_entries (upstream_id, id);
create index container_cache_entries_file on container_cache_entries (file_id);
create index container_cache_entries_downloaded on container_cache_entries (downloaded_at, id);
