-- works with: 46
-- outside a transaction
-- Lists of merge requests find words, branches and orders in indexes.

-- Those that were there before the trigger.
insert into merge_request_search (merge_request_id, search)
  select id, issue_words(title, description) from merge_requests
  on conflict do nothing;

create index concurrently if not exists merge_requests_title on merge_requests (project_id, title, id);
create index concurrently if not exists merge_requests_merged_at on merge_requests (project_id, merged_at, id);
create index concurrently if not exists merge_requests_popularity on merge_requests (project_id, upvotes, id);
create index concurrently if not exists merge_requests_source_branch on merge_requests (source_branch, project_id, id);
create index concurrently if not exists merge_requests_all_created_at on merge_requests (created_at, id)
  include (project_id);
drop index concurrently if exists merge_requests_newest;
