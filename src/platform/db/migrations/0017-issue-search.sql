-- works with: 11
-- The words of an issue leave its row: a comment changes the row, and would write them again each time.

create table issue_search (
  issue_id bigint primary key references issues (id) on delete cascade,
  -- Bounded: a tsvector holds no more than a megabyte.
  search tsvector not null
);
create index issue_search_words on issue_search using gin (search);

create function issue_words(title text, description text) returns tsvector language sql immutable parallel safe
  return setweight(to_tsvector('simple'::regconfig, words_of(left(title, 1024))), 'A') ||
    setweight(to_tsvector('simple'::regconfig, words_of(left(coalesce(description, ''), 100000))), 'B');

-- A trigger, so that every program that writes issues keeps the words, also one that does not know this table.
create function keep_issue_search() returns trigger language plpgsql as $$
begin
  insert into issue_search (issue_id, search) values (new.id, issue_words(new.title, new.description))
    on conflict (issue_id) do update set search = excluded.search;
  return null;
end
$$;
create trigger issues_inserted_search after insert on issues
  for each row execute function keep_issue_search();
create trigger issues_updated_search after update of title, description on issues
  for each row when (old.title is distinct from new.title or old.description is distinct from new.description)
  execute function keep_issue_search();
