-- works with: 50
-- outside a transaction
create index concurrently if not exists ci_jobs_runner on ci_jobs (runner_id, id) include (project_id) where runner_id is not null;
create index concurrently if not exists ci_jobs_runner_manager on ci_jobs (runner_manager_id, id)
  where runner_manager_id is not null;
-- A runner looks for the oldest job of each project and of each kind: those of one kind want the same of a runner.
create index concurrently if not exists ci_jobs_queue
  on ci_jobs (project_id, ref_protected, hash_array_extended(tags || ''::text || needed_features, 0), queued_at, id)
  where status = 'pending' and not bridge;
