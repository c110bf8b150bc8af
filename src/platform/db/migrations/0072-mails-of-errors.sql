-- works with: 50
-- Mails about errors are limited, and incidents have a severity.

-- How much news of a project's errors there was since its hour began. Past some, mails tell of it together.
create table error_news (
  project_id bigint primary key references projects on delete cascade,
  since timestamptz(3) not null,
  errors_count integer not null
);

-- Null for unknown.
alter table issues add column severity text collate "C";
