-- works with: 50
-- What a certificate or a provisioning profile says of itself. Null for other files, and for those from before.

alter table secure_files add column metadata jsonb;
