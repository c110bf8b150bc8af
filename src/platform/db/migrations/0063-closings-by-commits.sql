-- works with: 50

-- The issues that the messages of a merge request's commits say it closes; merge_request_closings has those of its text.
create table merge_request_commit_closings (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  issue_id bigint not null references issues (id) on delete cascade,
  primary key (merge_request_id, issue_id)
);
create index merge_request_commit_closings_issue on merge_request_commit_closings (issue_id, merge_request_id);
