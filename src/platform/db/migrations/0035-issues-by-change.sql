-- works with: 34
-- outside a transaction
-- Lists in the order of the last change read `noteables`.

create index concurrently if not exists noteables_changed on noteables (namespace_id, kind, updated_at, id);
drop index concurrently if exists noteables_namespace;
drop index concurrently if exists issues_updated_at;

create index concurrently if not exists noteables_all_changed on noteables (kind, updated_at, id) include (namespace_id);
drop index concurrently if exists issues_changed;
