-- works with: 33
-- locks tables: before version 1 nobody has many rows here
-- When a noteable changed last, and how many comments it has, move from its own table to `noteables`: a note writes a short row
-- there, and not one of `issues` with its seventeen indexes. docs/decisions/0015-noteables.md has the figures.
--
-- The columns of `issues` stay for the program of the version before, and two triggers carry over what it writes there. To be
-- dropped with the version after: the triggers, the columns, and the default that marks what it inserts.

alter table noteables
  add column updated_at timestamptz(3) not null default '-infinity',
  add column notes_count integer not null default 0,
  add column internal_notes_count integer not null default 0;

-- The program of this version does not write it any more.
alter table issues alter column updated_at set default now();

create function carry_new_issue_over() returns trigger language plpgsql as $$
begin
  update noteables o
    set updated_at = i.updated_at, notes_count = i.notes_count, internal_notes_count = i.internal_notes_count
    from issues i where i.id = new.id and o.id = new.id;
  return null;
end
$$;
create trigger noteables_inserted_before after insert on noteables
  for each row when (new.updated_at = '-infinity') execute function carry_new_issue_over();

-- Adds to the counters, because this version counts at the same time.
create function carry_changed_issue_over() returns trigger language plpgsql as $$
begin
  update noteables o set updated_at = new.updated_at,
      notes_count = o.notes_count + new.notes_count - old.notes_count,
      internal_notes_count = o.internal_notes_count + new.internal_notes_count - old.internal_notes_count
    where o.id = new.id;
  return null;
end
$$;
create trigger issues_updated_before after update of updated_at, notes_count, internal_notes_count on issues
  for each row execute function carry_changed_issue_over();

update noteables o
  set updated_at = i.updated_at, notes_count = i.notes_count, internal_notes_count = i.internal_notes_count
  from issues i where i.id = o.id;
