-- works with: 11
-- Issues that were there before the trigger. Apart from it, so that nobody who writes an issue waits for this.

insert into issue_search (issue_id, search)
  select id, issue_words(title, description) from issues
  on conflict (issue_id) do nothing;
