-- works with: 50
-- Webhooks of projects, groups and the instance.

create table hooks (
  id bigint generated always as identity primary key,
  uuid uuid not null default gen_random_uuid(),
  -- Null for those of the instance.
  namespace_id bigint references namespaces on delete cascade,
  name text,
  description text,
  -- With placeholders where it has variables.
  url text not null,
  -- Sealed.
  token bytea,
  signing_token bytea,
  triggers text[] not null,
  enable_ssl_verification boolean not null default true,
  push_events_branch_filter text,
  branch_filter_strategy text not null default 'wildcard'
    check (branch_filter_strategy in ('wildcard', 'regex', 'all_branches')),
  custom_webhook_template text,
  -- Where its maker saw this server, for links when no external URL is configured.
  site text not null,
  -- Deliveries that failed, one after the other.
  failures integer not null default 0,
  -- No delivery is tried before this moment; infinity when the hook is disabled for good.
  paused_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index hooks_namespace on hooks (namespace_id, id);

-- The values of custom headers and of variables in URLs.
create table hook_values (
  hook_id bigint not null references hooks on delete cascade,
  kind text not null check (kind in ('header', 'variable')),
  key text not null,
  sealed bytea not null,
  primary key (hook_id, kind, key)
);

-- Domain events that hooks are to be told of, until a job has made deliveries of them.
create table hook_facts (
  id bigint generated always as identity primary key,
  -- Those of one transaction are one change.
  xact_id xid8 not null default pg_current_xact_id(),
  -- Facts of one tree of groups and projects are worked off in their order.
  shard integer not null,
  name text not null,
  at timestamptz not null,
  actor_id bigint,
  namespace_id bigint,
  -- The namespaces whose hooks may learn of it.
  chain bigint[] not null,
  target_type text,
  target_id bigint,
  details jsonb not null,
  -- What can no longer be looked up afterwards.
  seen jsonb,
  -- How often making deliveries of it failed.
  tries integer not null default 0,
  job_id bigint
);
create index hook_facts_shard on hook_facts (shard, id);

-- What hooks send, once for all hooks of an event.
create table hook_payloads (
  id bigint generated always as identity primary key,
  uuid uuid not null default gen_random_uuid(),
  trigger text not null,
  event text not null,
  data text not null,
  created_at timestamptz not null
);
create index hook_payloads_created_at on hook_payloads (created_at);

-- What is still to be sent.
create table hook_deliveries (
  id bigint generated always as identity primary key,
  hook_id bigint not null references hooks on delete cascade,
  payload_id bigint not null references hook_payloads on delete cascade,
  idempotency_key uuid not null default gen_random_uuid(),
  attempts integer not null default 0
);
create index hook_deliveries_hook on hook_deliveries (hook_id, id);
create index hook_deliveries_payload on hook_deliveries (payload_id);

-- What was sent, and what came back.
create table hook_attempts (
  id bigint generated always as identity primary key,
  hook_id bigint not null references hooks on delete cascade,
  payload_id bigint not null references hook_payloads on delete cascade,
  idempotency_key uuid not null,
  url text not null,
  request_headers jsonb not null,
  response_headers jsonb not null,
  response_body text not null,
  -- Null when there was no answer.
  response_status integer,
  seconds double precision not null,
  created_at timestamptz not null
);
create index hook_attempts_hook on hook_attempts (hook_id, id);
create index hook_attempts_status on hook_attempts (hook_id, response_status, id);
create index hook_attempts_payload on hook_attempts (payload_id);
