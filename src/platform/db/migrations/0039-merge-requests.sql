-- works with: 37
-- Merge requests. Each belongs to its target project; its source may be a fork, and may be gone.
create type merge_request_state as enum ('opened', 'closed', 'merged', 'locked');
create type merge_status as enum ('unchecked', 'checking', 'can_be_merged', 'cannot_be_merged', 'cannot_be_merged_recheck');

create table merge_requests (
  id bigint primary key default nextval('noteables_id_seq') references noteables (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  source_project_id bigint references projects (id) on delete set null,
  iid integer not null,
  title text collate "C" not null check (length(title) <= 255),
  description text check (length(description) <= 1048576),
  state merge_request_state not null default 'opened',
  author_id bigint not null references users (id),
  milestone_id bigint references milestones (id) on delete set null,
  source_branch text collate "C" not null check (length(source_branch) <= 1024),
  target_branch text collate "C" not null check (length(target_branch) <= 1024),
  -- Null until somebody locked it for the first time.
  discussion_locked boolean,
  -- What was last seen of the branches: the tip of the source, what both have in common, the tip of the target at that time.
  head_sha text not null check (length(head_sha) <= 64),
  base_sha text check (length(base_sha) <= 64),
  start_sha text not null check (length(start_sha) <= 64),
  -- Files that differ; 1001 means more than 1000.
  changed_files integer not null check (changed_files >= 0),
  merge_status merge_status not null default 'unchecked',
  merge_error text check (length(merge_error) <= 1024),
  merge_user_id bigint references users (id) on delete set null,
  merged_at timestamptz(3),
  merge_commit_sha text check (length(merge_commit_sha) <= 64),
  squash_commit_sha text check (length(squash_commit_sha) <= 64),
  squash boolean not null default false,
  remove_source_branch boolean,
  allow_collaboration boolean not null default false,
  -- What a merge was asked for once it is possible.
  auto_merge jsonb,
  merge_after timestamptz(3),
  rebasing_since timestamptz(3),
  approvals_required integer check (approvals_required >= 0),
  -- In seconds; what was spent is the sum over timelogs.
  time_estimate integer not null default 0 check (time_estimate >= 0),
  total_time_spent integer not null default 0 check (total_time_spent >= 0),
  upvotes integer not null default 0,
  downvotes integer not null default 0,
  closed_at timestamptz(3),
  closed_by_id bigint references users (id) on delete set null,
  created_at timestamptz(3) not null,
  constraint merge_requests_iid_key unique (project_id, iid)
);
-- Two open ones for the same branches would be merged twice.
create unique index merge_requests_branches on merge_requests (source_project_id, source_branch, project_id, target_branch)
  where state = 'opened';
-- A push asks which ones its branch is the target of.
create index merge_requests_target on merge_requests (project_id, target_branch) where state = 'opened';
create index merge_requests_created_at on merge_requests (project_id, created_at, id);
create index merge_requests_state on merge_requests (project_id, state, id);
create index merge_requests_newest on merge_requests (created_at, id);
create index merge_requests_source on merge_requests (source_project_id);
create index merge_requests_author on merge_requests (author_id, created_at, id);
create index merge_requests_milestone on merge_requests (milestone_id) where milestone_id is not null;
create index merge_requests_merge_user on merge_requests (merge_user_id) where merge_user_id is not null;
create index merge_requests_closed_by on merge_requests (closed_by_id) where closed_by_id is not null;

create table merge_request_assignees (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  primary key (merge_request_id, user_id)
);
create index merge_request_assignees_user on merge_request_assignees (user_id, merge_request_id);

create type review_state as enum ('unreviewed', 'review_started', 'reviewed', 'requested_changes', 'approved', 'unapproved');
create table merge_request_reviewers (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  state review_state not null default 'unreviewed',
  created_at timestamptz(3) not null,
  primary key (merge_request_id, user_id)
);
create index merge_request_reviewers_user on merge_request_reviewers (user_id, merge_request_id);

create table merge_request_labels (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  label_id bigint not null references labels (id) on delete cascade,
  primary key (merge_request_id, label_id)
);
create index merge_request_labels_label on merge_request_labels (label_id, merge_request_id);

-- The states of the source branch that a merge request had, the latest last.
create table merge_request_versions (
  id bigint generated by default as identity primary key,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  head_sha text not null check (length(head_sha) <= 64),
  base_sha text check (length(base_sha) <= 64),
  start_sha text not null check (length(start_sha) <= 64),
  changed_files integer not null,
  created_at timestamptz(3) not null
);
create index merge_request_versions_of on merge_request_versions (merge_request_id, id);
