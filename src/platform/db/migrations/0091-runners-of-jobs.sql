-- works with: 50
alter table ci_jobs validate constraint ci_jobs_runner_id_fkey;
alter table ci_jobs validate constraint ci_jobs_runner_manager_id_fkey;
