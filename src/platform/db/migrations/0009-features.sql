-- Which parts of the program administrators switched on, and for whom. A switch that was never set has no row.

create table feature_switches (
  name text collate "C" primary key,
  -- For everybody.
  enabled boolean not null default false,
  -- For some, as the API names them: `User:1`, `Project:5`; see features/actors.ts.
  actors text[] not null default '{}',
  -- For groups of people that the program knows by name.
  groups text[] not null default '{}',
  percentage_of_actors integer not null default 0 check (percentage_of_actors between 0 and 100),
  percentage_of_time integer not null default 0 check (percentage_of_time between 0 and 100),
  updated_at timestamptz(3) not null
);
