-- works with: 50
-- locks tables: facts stay in this one for a moment
-- What cannot be told at the moment is tried again later, and holds up nothing but its own project or group.

-- When deliveries of a fact are made again; null before anything failed.
alter table hook_facts add column retry_at timestamptz;
create index hook_facts_retry_at on hook_facts (shard, retry_at) where retry_at is not null;

-- The facts of one transaction, among the many that may wait.
create index hook_facts_xact_id on hook_facts (xact_id);
