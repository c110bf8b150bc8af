-- works with: 44
-- locks tables: before version 1 nobody has many rows here
-- What a check found besides `merge_status`: why a merge request cannot be merged, and whether its target branch has commits that it lacks.
create type merge_obstacle as enum ('conflict', 'commits_status');
alter table merge_requests
  add column merge_obstacle merge_obstacle,
  add column behind_target boolean not null default false;
