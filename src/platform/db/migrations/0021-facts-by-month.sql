-- works with: 11
-- locks tables: before version 1 nobody has many facts
-- Facts by month. They refer to users and namespaces without foreign keys, which would lock those rows with every
-- write: whoever reads facts joins what they refer to, and what is gone shows nothing. Ids are never given again.

-- All locks at once: the foreign keys go with the old table.
lock table namespaces, users, facts in access exclusive mode;
-- squawk-ignore renaming-table
alter table facts rename to facts_before;
alter table facts_before rename constraint facts_pkey to facts_before_pkey;
create sequence facts_ids;
select setval('facts_ids', coalesce(max(id), 1), max(id) is not null) from facts_before;

create table facts (
  id bigint not null default nextval('facts_ids'),
  name text not null,
  at timestamptz(3) not null,
  actor_id bigint,
  -- The administrator who acted as the actor: by sudo, or with an impersonation token.
  behind_id bigint,
  -- The group or project in which it happened.
  namespace_id bigint,
  target_type text,
  target_id bigint,
  details jsonb not null default '{}',
  ip text,
  -- The request that did it: what its answer has as X-Request-Id.
  request_id text,
  -- The transaction that did it. Ids are given before the commit, so that a later one may be seen earlier: who reads
  -- facts in turn goes by (xact_id, id), up to pg_snapshot_xmin(pg_current_snapshot()).
  xact_id xid8 not null default pg_current_xact_id(),
  -- By the database's clock, which all nodes share.
  recorded_at timestamptz not null default now(),
  primary key (id, recorded_at)
) partition by range (recorded_at);
alter sequence facts_ids owned by facts.id;

create table partitions.facts_default partition of facts default;
do $$
begin
  execute format('create table partitions.facts_past partition of facts for values from (minvalue) to (%L)',
    date_trunc('month', now() at time zone 'UTC') at time zone 'UTC');
end
$$;
select make_partitions('facts', 2);

insert into facts (id, name, at, actor_id, behind_id, namespace_id, target_type, target_id, details, ip, recorded_at)
  select id, name, at, actor_id, behind_id, namespace_id, target_type, target_id, details, ip, least(at, now())
  from facts_before;
-- squawk-ignore ban-drop-table
drop table facts_before;

alter sequence facts_ids rename to facts_id_seq;
create index facts_namespace on facts (namespace_id, id);
create index facts_actor on facts (actor_id, id);
create index facts_behind on facts (behind_id) where behind_id is not null;
-- From which addresses somebody has signed in; see sessions/limit-sign-ins.ts.
create index facts_sign_ins on facts (target_id, ip) where name = 'session started';
create index facts_cursor on facts (xact_id, id);
