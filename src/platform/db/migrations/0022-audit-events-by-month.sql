-- works with: 11
-- locks tables: before version 1 nobody has many audit events
-- Audit events by month, as facts are.

-- squawk-ignore renaming-table
alter table audit_events rename to audit_events_before;
alter table audit_events_before rename constraint audit_events_pkey to audit_events_before_pkey;
create sequence audit_events_ids;
select setval('audit_events_ids', coalesce(max(id), 1), max(id) is not null) from audit_events_before;

-- A record of its own: names are those of that time, and nothing here goes with the account, group or project it tells of.
create table audit_events (
  id bigint not null default nextval('audit_events_ids'),
  event_name text not null,
  -- -1 where nobody was signed in.
  author_id bigint not null,
  author_name text not null,
  author_email text,
  entity_type text not null,
  entity_id bigint not null,
  entity_path text not null,
  target_type text not null,
  target_id bigint,
  target_details text,
  -- What changed: `change`, `from`, `to`, `add`, `remove`, `as`, `with`, `custom_message`.
  details jsonb not null,
  ip text,
  created_at timestamptz(3) not null,
  -- By the database's clock, which all nodes share.
  recorded_at timestamptz not null default now(),
  primary key (id, recorded_at)
) partition by range (recorded_at);
alter sequence audit_events_ids owned by audit_events.id;

create table partitions.audit_events_default partition of audit_events default;
do $$
begin
  execute format('create table partitions.audit_events_past partition of audit_events for values from (minvalue) to (%L)',
    date_trunc('month', now() at time zone 'UTC') at time zone 'UTC');
end
$$;
select make_partitions('audit_events', 2);

insert into audit_events (id, event_name, author_id, author_name, author_email, entity_type, entity_id, entity_path,
    target_type, target_id, target_details, details, ip, created_at, recorded_at)
  select id, event_name, author_id, author_name, author_email, entity_type, entity_id, entity_path,
    target_type, target_id, target_details, details, ip, created_at, least(created_at, now())
  from audit_events_before;
-- squawk-ignore ban-drop-table
drop table audit_events_before;

alter sequence audit_events_ids rename to audit_events_id_seq;
create index audit_events_entity on audit_events (entity_type, entity_id, id);
create index audit_events_entity_type on audit_events (entity_type, id);
create index audit_events_created_at on audit_events (created_at, id);
-- Developers read what they did themselves, among all that was done to a project or group.
create index audit_events_own on audit_events (entity_type, entity_id, author_id, id);
