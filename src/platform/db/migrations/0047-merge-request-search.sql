-- works with: 46
-- The words of merge requests, as of issues, and the issues that they close.

create table merge_request_search (
  merge_request_id bigint primary key references merge_requests (id) on delete cascade,
  search tsvector not null
);
create index merge_request_search_words on merge_request_search using gin (search);

create function keep_merge_request_search() returns trigger language plpgsql as $$
begin
  insert into merge_request_search (merge_request_id, search)
    values (new.id, issue_words(new.title, new.description))
    on conflict (merge_request_id) do update set search = excluded.search;
  return null;
end
$$;
create trigger merge_requests_inserted_search after insert on merge_requests
  for each row execute function keep_merge_request_search();
create trigger merge_requests_updated_search after update of title, description on merge_requests
  for each row when (old.title is distinct from new.title or old.description is distinct from new.description)
  execute function keep_merge_request_search();

-- The issues that the text of a merge request says it closes.
create table merge_request_closings (
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  issue_id bigint not null references issues (id) on delete cascade,
  primary key (merge_request_id, issue_id)
);
create index merge_request_closings_issue on merge_request_closings (issue_id, merge_request_id);
