-- works with: 50
-- outside a transaction
-- Every day, a job looks for what is due on the next.
create index concurrently if not exists issues_due on issues (due_date, id) where state = 'opened' and due_date is not null;
