-- works with: 50
-- What `git patch-id` says of the diff of a version. Null until somebody has asked; empty when there is none.

alter table merge_request_versions add column patch_id text;
