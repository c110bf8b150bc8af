-- works with: 11

-- squawk-ignore ban-drop-column
alter table issues drop column search;

-- The program of the version before asks for `i.search`, which PostgreSQL takes for this function now that there is no
-- such column. To be dropped with the version after.
create function search(issues) returns tsvector language sql stable
  return (select s.search from issue_search s where s.issue_id = ($1).id);
