-- works with: 50
-- outside a transaction
-- A pipeline is also what external statuses say of its commit.
create index concurrently if not exists commit_statuses_pipeline on commit_statuses (pipeline_id, id);
