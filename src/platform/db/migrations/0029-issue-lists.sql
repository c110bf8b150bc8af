-- works with: 28
-- outside a transaction
-- Lists of issues find ids in an index alone, where it has all that decides who sees an issue.

-- The open ones, those of any state, the confidential ones and those of a type of a project are counted here. Orders by values of
-- milestones and labels read it, too.
create index concurrently if not exists issues_counted on issues (project_id, state, confidential, issue_type)
  include (author_id, id, milestone_id);
drop index concurrently if exists issues_open;

create index concurrently if not exists issues_popularity on issues (project_id, upvotes, id);

create index concurrently if not exists issues_newest on issues (created_at, id)
  include (project_id, author_id, confidential);
drop index concurrently if exists issues_all_created_at;

create index concurrently if not exists issues_changed on issues (updated_at, id)
  include (project_id, author_id, confidential);
drop index concurrently if exists issues_all_updated_at;
