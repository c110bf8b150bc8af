-- works with: 31
-- locks tables: writers of issues wait while the open ones are counted once, less than a second per million
-- How many issues of a project are open, so that lists of projects need not count them.

create table open_issue_counts (
  project_id bigint not null references projects (id) on delete cascade,
  confidential boolean not null,
  count bigint not null,
  primary key (project_id, confidential)
);

-- What changed since. Writers of one project's issues would wait for each other if they changed its count, so each adds a
-- row of its own here, and a job adds these rows up. No reference to the project: while it is deleted, its issues go after it.
create table open_issue_changes (
  id bigint generated always as identity primary key,
  project_id bigint not null,
  confidential boolean not null,
  change integer not null
);
create index open_issue_changes_project on open_issue_changes (project_id) include (confidential, change);

-- Triggers, so that every program that writes issues counts them, also one that does not know these tables. A statement adds
-- one row for each project, however many issues it writes.
create function count_added_issues() returns trigger language plpgsql as $$
begin
  insert into open_issue_changes (project_id, confidential, change)
    select project_id, confidential, count(*) from added where state = 'opened' group by project_id, confidential;
  return null;
end
$$;
create function count_removed_issues() returns trigger language plpgsql as $$
begin
  insert into open_issue_changes (project_id, confidential, change)
    select project_id, confidential, -count(*) from removed where state = 'opened' group by project_id, confidential;
  return null;
end
$$;
create function count_updated_issue() returns trigger language plpgsql as $$
begin
  if old.state = 'opened' then
    insert into open_issue_changes (project_id, confidential, change) values (old.project_id, old.confidential, -1);
  end if;
  if new.state = 'opened' then
    insert into open_issue_changes (project_id, confidential, change) values (new.project_id, new.confidential, 1);
  end if;
  return null;
end
$$;
create trigger issues_inserted_open after insert on issues
  referencing new table as added for each statement execute function count_added_issues();
create trigger issues_deleted_open after delete on issues
  referencing old table as removed for each statement execute function count_removed_issues();
-- A list of columns excludes transition tables. Comments and titles, the most frequent changes, fire nothing.
create trigger issues_updated_open after update of state, confidential, project_id on issues
  for each row when (old.state is distinct from new.state or old.confidential is distinct from new.confidential
    or old.project_id is distinct from new.project_id)
  execute function count_updated_issue();

insert into open_issue_counts (project_id, confidential, count)
  select project_id, confidential, count(*) from issues where state = 'opened' group by project_id, confidential;
