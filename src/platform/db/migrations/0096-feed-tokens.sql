-- works with: 50
-- Tokens with which people read feeds, and nothing else. They are shown again, so they are kept sealed beside their digests.
create table feed_tokens (
  id bigint generated always as identity primary key,
  user_id bigint not null references users (id) on delete cascade,
  digest bytea not null check (length(digest) = 32),
  sealed bytea not null,
  created_at timestamptz(3) not null,
  constraint feed_tokens_user_key unique (user_id),
  constraint feed_tokens_digest_key unique (digest)
);
