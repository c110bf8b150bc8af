-- works with: 50
-- outside a transaction
-- Counts of a label's issues look each issue up by its id. With what they ask of it in the index, they read no rows.
create index concurrently if not exists issues_of_project on issues (project_id, id) include (state, confidential, author_id);
drop index concurrently if exists issues_id;
