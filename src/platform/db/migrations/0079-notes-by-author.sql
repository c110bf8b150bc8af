-- works with: 50
-- outside a transaction
-- Whether somebody has commented on a noteable is asked of their notes on it. Before, all notes of others were read until one of theirs
-- came, and system notes of theirs went by as well, so that a busy issue became slower with each change.
create index concurrently if not exists notes_author_noteable on notes (author_id, noteable_id, system);
drop index concurrently if exists notes_author;
