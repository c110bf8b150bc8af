-- works with: 50
-- outside a transaction
-- Whose last day is over: src/tenancy/members/end-expired.ts.

create index concurrently if not exists members_expires_at on members (expires_at, id) where expires_at is not null;
