-- works with: 50
-- Errors that running programs report with the SDKs of Sentry: docs/decisions/0030-error-tracking.md.

-- No row until somebody switches it on for a project.
create table error_tracking_settings (
  project_id bigint primary key references projects on delete cascade,
  active boolean not null,
  integrated boolean not null,
  -- Whether personal data is taken out of events when they arrive.
  scrubs boolean not null default true,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- What programs report with. The key is public: it is in every web page that reports errors.
create table error_tracking_keys (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  public_key text collate "C" not null unique,
  created_at timestamptz(3) not null
);
create index error_tracking_keys_project on error_tracking_keys (project_id, id);

-- Events as they arrived, until a job has grouped them. A row is written once and deleted soon, so it is not compressed.
create table error_inbox (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  received_at timestamptz(3) not null,
  event text not null
);
alter table error_inbox alter column event set storage external;

-- Events that are the same error.
create table errors (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects on delete cascade,
  -- A digest of what its events have in common.
  fingerprint bytea not null,
  type text,
  title text not null,
  culprit text,
  platform text,
  level text not null,
  status text not null default 'unresolved' check (status in ('unresolved', 'resolved', 'ignored')),
  resolved_in_release text,
  -- When somebody changed the status, and who.
  status_changed_at timestamptz(3),
  status_changed_by_id bigint references users on delete set null,
  events_count bigint not null default 0,
  users_count integer not null default 0,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  reopened_at timestamptz(3),
  issue_id bigint references issues on delete set null,
  unique (project_id, fingerprint)
);
-- The orders of the list.
create index errors_last_seen on errors (project_id, status, last_seen_at, id);
create index errors_first_seen on errors (project_id, status, first_seen_at, id);
create index errors_frequency on errors (project_id, status, events_count, id);
create index errors_issue on errors (issue_id) where issue_id is not null;
create index errors_status_changed_by on errors (status_changed_by_id) where status_changed_by_id is not null;

-- Who was affected, as digests; at most 10,001 of an error.
create table error_users (
  error_id bigint not null references errors on delete cascade,
  digest bytea not null,
  primary key (error_id, digest)
);

-- Releases and environments in which an error was seen; at most 100 of each of an error.
create table error_places (
  error_id bigint not null references errors on delete cascade,
  kind text not null check (kind in ('release', 'environment')),
  name text not null,
  events_count bigint not null default 0,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (error_id, kind, name)
);

-- The releases of a project, by when they were first heard of: whether an event comes from a release that is older than
-- the one in which its error was resolved.
create table error_releases (
  project_id bigint not null references projects on delete cascade,
  name text not null,
  first_seen_at timestamptz(3) not null,
  primary key (project_id, name)
);

-- Some events as a whole: the first twenty of an error in each hour. By month and without foreign keys, as facts are.
create sequence error_events_id_seq;
create table error_events (
  id bigint not null default nextval('error_events_id_seq'),
  error_id bigint not null,
  event_id text collate "C" not null,
  event text not null,
  occurred_at timestamptz(3) not null,
  recorded_at timestamptz not null default now(),
  primary key (id, recorded_at)
) partition by range (recorded_at);
alter sequence error_events_id_seq owned by error_events.id;
create table partitions.error_events_default partition of error_events default;
create index error_events_error on error_events (error_id, id);
create index error_events_event on error_events (event_id);

-- How many events of an error came in each hour.
create table error_hours (
  error_id bigint not null,
  -- The beginning of the hour.
  recorded_at timestamptz not null,
  events_count bigint not null,
  primary key (error_id, recorded_at)
) partition by range (recorded_at);
create table partitions.error_hours_default partition of error_hours default;

do $$
declare
  parent text;
begin
  foreach parent in array array['error_events', 'error_hours'] loop
    execute format('create table partitions.%I partition of %I for values from (minvalue) to (%L)',
      parent || '_past', parent, date_trunc('month', now() at time zone 'UTC') at time zone 'UTC');
    perform make_partitions(parent, 2);
  end loop;
end
$$;
