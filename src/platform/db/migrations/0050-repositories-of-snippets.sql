-- works with: 49
-- outside a transaction
-- The repositories of snippets are found by their snippets.
create unique index concurrently if not exists repositories_snippet on repositories (snippet_id) where snippet_id is not null;
-- Validating again does no harm.
-- squawk-ignore prefer-robust-stmts
alter table repositories validate constraint repositories_snippet_id_fkey;
-- Validating again does no harm.
-- squawk-ignore prefer-robust-stmts
alter table repositories validate constraint repositories_one_owner;
create index concurrently if not exists repositories_without_owner on repositories (id)
  where project_id is null and group_id is null and snippet_id is null;
drop index concurrently if exists repositories_ownerless;
