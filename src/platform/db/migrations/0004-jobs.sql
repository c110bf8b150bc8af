-- The worker pools that are alive, by the name under which they lock jobs (the jobs themselves are in
-- graphile-worker's own schema; see jobs/heartbeat.ts). Times here are the database's: they compare machines,
-- whose clocks differ.
create table job_workers (
  id text primary key,
  seen_at timestamptz not null
);
