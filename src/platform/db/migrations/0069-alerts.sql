-- works with: 50
-- Alerts: the integrations of projects that receive them, the alerts, who works on them, and pictures of metrics.

create table alert_settings (
  project_id bigint primary key references projects (id) on delete cascade,
  create_incident boolean not null,
  -- The name of a template in the repository.
  incident_template text check (length(incident_template) <= 255),
  send_email boolean not null,
  auto_close_incident boolean not null,
  -- While another product is on call, no integration is active.
  external_on_call boolean not null,
  updated_at timestamptz(3) not null
);

create table alert_integrations (
  id bigint primary key generated always as identity,
  project_id bigint not null references projects (id) on delete cascade,
  -- 16 hexadecimal digits in the URL.
  identifier text collate "C" not null check (length(identifier) = 16),
  type text collate "C" not null check (type in ('generic', 'prometheus')),
  name text not null check (length(name) between 1 and 255),
  active boolean not null,
  -- Sealed: see src/platform/key-ring/key-ring.ts.
  authorization_key bytea not null,
  -- What is sent is compared with this.
  key_digest bytea not null,
  -- How payloads of a well-known program are read.
  preset text collate "C",
  -- Field → paths in payloads.
  mapping jsonb not null,
  sample_payload json,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index alert_integrations_project on alert_integrations (project_id, id);

create table alerts (
  id bigint primary key default nextval('noteables_id_seq') references noteables (id) on delete cascade,
  project_id bigint not null references projects (id) on delete cascade,
  iid integer not null,
  integration_id bigint references alert_integrations (id) on delete set null,
  -- The incident that came of it.
  issue_id bigint references issues (id) on delete set null,
  title text not null check (length(title) <= 200),
  description text check (length(description) <= 1000),
  severity text collate "C" not null check (severity in ('critical', 'high', 'medium', 'low', 'info', 'unknown')),
  status text collate "C" not null check (status in ('triggered', 'acknowledged', 'resolved', 'ignored')),
  -- How often it was reported.
  events integer not null,
  -- Equal for reports of the same alert.
  fingerprint text collate "C" not null check (length(fingerprint) = 40),
  -- Whether people and programs learn the fingerprint: they gave it, or the feature flag asks for it.
  fingerprinted boolean not null,
  -- generic or prometheus
  payload_kind text collate "C" not null,
  service text check (length(service) <= 100),
  monitoring_tool text check (length(monitoring_tool) <= 100),
  hosts text[] not null,
  environment text check (length(environment) <= 255),
  runbook text check (length(runbook) <= 2048),
  query text check (length(query) <= 10000),
  y_label text check (length(y_label) <= 255),
  incident_markdown text check (length(incident_markdown) <= 100000),
  payload json not null,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  created_at timestamptz(3) not null,
  last_event_at timestamptz(3) not null
)
-- Counting another report then needs no new entries in indexes.
with (fillfactor = 80);
create unique index alerts_project_iid on alerts (project_id, iid);
-- One open alert for each fingerprint.
create unique index alerts_open_key on alerts (project_id, fingerprint) where status <> 'resolved';
create index alerts_resolved on alerts (project_id, fingerprint, id) where status = 'resolved';
create index alerts_project on alerts (project_id, id);
create index alerts_status on alerts (project_id, status, id);
create index alerts_started_at on alerts (project_id, started_at, id);
create index alerts_integration on alerts (integration_id) where integration_id is not null;
create index alerts_issue on alerts (issue_id) where issue_id is not null;

create table alert_assignees (
  alert_id bigint not null references alerts (id) on delete cascade,
  user_id bigint not null references users (id) on delete cascade,
  primary key (alert_id, user_id)
);
create index alert_assignees_user on alert_assignees (user_id);

create table alert_metric_images (
  id bigint primary key generated always as identity,
  alert_id bigint not null references alerts (id) on delete cascade,
  file_id text not null references files (id) on delete restrict,
  filename text not null check (length(filename) between 1 and 255),
  url text check (length(url) <= 255),
  url_text text check (length(url_text) <= 128),
  created_at timestamptz(3) not null
);
create index alert_metric_images_alert on alert_metric_images (alert_id, id);
create index alert_metric_images_file on alert_metric_images (file_id);
