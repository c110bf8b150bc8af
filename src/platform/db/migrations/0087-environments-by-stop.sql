-- works with: 50
-- outside a transaction
-- Environments stop by jobs, too: also those that only stop so have their time.
create index concurrently if not exists environments_auto_stop_at on environments (auto_stop_at, id)
  where state = 'available' and auto_stop_at is not null;
drop index concurrently if exists environments_auto_stop;
