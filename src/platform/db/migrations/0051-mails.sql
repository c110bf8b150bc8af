-- works with: 50
-- The outbox: mails that a transaction has caused and a job hands to the mail server.
create table mails (
  id bigint generated always as identity primary key,
  -- A second mail with the same key is not sent.
  key text unique check (length(key) between 1 and 255),
  -- Null once the mail has ended: what it said is not kept.
  content jsonb,
  created_at timestamptz(3) not null default now(),
  -- When a job may take it. Taking it moves this ahead, so that nobody else takes it meanwhile.
  due_at timestamptz(3) not null default now(),
  attempts integer not null default 0,
  ended_at timestamptz(3),
  outcome text check (outcome in ('sent', 'refused', 'expired')),
  -- What the mail server answered last, when it did not accept the mail.
  response text check (length(response) <= 500),
  constraint mails_end check ((ended_at is null) = (outcome is null) and (ended_at is null) = (content is not null))
);
create index mails_due on mails (due_at, id) where ended_at is null;
create index mails_ended on mails (ended_at) where ended_at is not null;
