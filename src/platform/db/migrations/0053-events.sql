-- works with: 50
-- Activity events: what people did in projects, as feeds show it. By month and without foreign keys, as facts are: who
-- reads an event joins what it is about, and what is gone shows nothing.

create sequence events_id_seq;
create table events (
  id bigint not null default nextval('events_id_seq'),
  project_id bigint not null,
  author_id bigint not null,
  -- What was done to what: src/activity/events/kinds.ts.
  kind integer not null,
  -- The issue, note, … that it is about; null for pushes and members.
  target_id bigint,
  -- What can't be looked up later: what was pushed, the title of a milestone or wiki page.
  details jsonb,
  created_at timestamptz(3) not null,
  -- The transaction that wrote it. Ids are given before the commit, so that a later one may be seen earlier: who follows
  -- a feed goes by (xact_id, id), up to pg_snapshot_xmin(pg_current_snapshot()).
  xact_id xid8 not null default pg_current_xact_id(),
  -- By the database's clock, which all nodes share.
  recorded_at timestamptz not null default now(),
  primary key (id, recorded_at)
) partition by range (recorded_at);
alter sequence events_id_seq owned by events.id;

create table partitions.events_default partition of events default;
do $$
begin
  execute format('create table partitions.events_past partition of events for values from (minvalue) to (%L)',
    date_trunc('month', now() at time zone 'UTC') at time zone 'UTC');
end
$$;
select make_partitions('events', 2);

-- Each feed is merged from streams: the events of one kind in one project, perhaps of one author. So what a caller may
-- not read is not even passed over.
create index events_project on events (project_id, kind, created_at, id);
create index events_project_cursor on events (project_id, kind, xact_id, id);
-- Project and kind as one number, so that PostgreSQL can't take the indexes above for the feed of an author: in a large
-- project, that would read what all the others did.
create index events_author on events (author_id, (project_id * 100 + kind), created_at, id);
create index events_author_cursor on events (author_id, (project_id * 100 + kind), xact_id, id);

-- The streams that there are.
create table event_streams (
  author_id bigint not null,
  project_id bigint not null,
  kind integer not null,
  primary key (author_id, project_id, kind)
);
create index event_streams_project on event_streams (project_id, kind);
