-- works with: 50
-- A deleted environment is hidden until a job has removed it with its deployments, which may be many.
alter table environments add column deleted_at timestamptz(3);
