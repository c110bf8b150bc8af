-- works with: 11

-- Work on large tables that a migration begins by a row here, and a job does in batches; see jobs/backfill.ts.
create table backfills (
  name text primary key,
  -- The key of the last row that is done.
  position bigint not null default 0,
  rows_done bigint not null default 0,
  started_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
