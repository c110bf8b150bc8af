-- works with: 42
-- Which epics may inherit other dates since a milestone, an issue or an epic changed. Writers of issues would wait for each other
-- if they changed the dates of a common epic, so each adds a row of its own here, and a job works them off. No reference to the
-- epic: while it is deleted, its issues go after it.
create table epic_date_changes (
  id bigint generated always as identity primary key,
  epic_id bigint not null
);

-- Triggers, so that every program that writes issues and milestones tells of it, also one that does not know these tables.
create function tell_epic_of_issue() returns trigger language plpgsql as $$
begin
  insert into epic_date_changes (epic_id) select epic_id from epic_issues where issue_id = new.id;
  return null;
end
$$;
create trigger issues_milestone_changed after update of milestone_id on issues
  for each row when (old.milestone_id is distinct from new.milestone_id) execute function tell_epic_of_issue();

create function tell_epics_of_milestone() returns trigger language plpgsql as $$
begin
  insert into epic_date_changes (epic_id)
    select distinct k.epic_id from issues i join epic_issues k on k.issue_id = i.id where i.milestone_id = new.id;
  return null;
end
$$;
create trigger milestones_dates_changed after update of start_date, due_date on milestones
  for each row when (old.start_date is distinct from new.start_date or old.due_date is distinct from new.due_date)
  execute function tell_epics_of_milestone();

-- An issue that is deleted leaves its epic, and so does an epic that is deleted.
create function tell_epic_of_removed() returns trigger language plpgsql as $$
begin
  insert into epic_date_changes (epic_id) values (old.epic_id);
  return null;
end
$$;
create trigger epic_issues_removed after delete on epic_issues
  for each row execute function tell_epic_of_removed();

create function tell_parent_of_removed() returns trigger language plpgsql as $$
begin
  insert into epic_date_changes (epic_id) values (old.parent_id);
  return null;
end
$$;
create trigger epics_removed after delete on epics
  for each row when (old.parent_id is not null) execute function tell_parent_of_removed();
