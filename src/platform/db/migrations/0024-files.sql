-- works with: 11
-- locks tables: before version 1 nobody has many pictures
-- Files that people give us. The bytes are in a store (src/files): on disk or in S3.
create type file_storage as enum ('disk', 's3');
create type file_leftover_state as enum ('uploading', 'removing');

-- A row stands for bytes that are whole and verified. Columns that refer to a file reference `id` with
-- `on delete restrict` and have an index; the clean-up finds them in the catalogue.
create table files (
  id text primary key check (id ~ '^[0-9a-f]{32}$'),
  storage file_storage not null,
  -- Where the store has the bytes. A key is never used again, so a late removal cannot hit other bytes.
  key text not null check (key ~ '^[0-9a-f]{2}/[0-9a-f]{30}$'),
  -- The same bytes are kept once. Null with `size` only in rows of this migration, until a start has read the bytes.
  sha256 bytea unique check (octet_length(sha256) = 32),
  size bigint check (size >= 0),
  -- What the content is, where somebody looked; never what a client claimed.
  media_type text check (length(media_type) <= 255),
  created_at timestamptz(3) not null,
  -- When these bytes were last uploaded. A file that nothing refers to is kept for a while after that.
  used_at timestamptz(3) not null,
  check ((sha256 is null) = (size is null))
);
create index files_storage on files (storage, id);
create index files_unread on files (id) where sha256 is null;

-- Bytes that a store may hold and no row of `files` names: an upload under way, or bytes to be removed. The row is
-- written before the upload and deleted after the bytes, so a process may be killed at any moment and no listing
-- of a store is needed.
create table file_leftovers (
  key text primary key check (key ~ '^[0-9a-f]{2}/[0-9a-f]{30}$'),
  storage file_storage not null,
  state file_leftover_state not null,
  -- From when on the bytes may be removed.
  due_at timestamptz(3) not null
);
create index file_leftovers_due on file_leftovers (due_at);

-- Avatars were kept under keys such as avatars/ab/cd…. A node of the version before shows none of these and answers 503 to new
-- ones until it is updated, too. A domain becomes its own type: nothing is rewritten.
-- squawk-ignore changing-column-type
alter table users alter avatar type text;
-- squawk-ignore changing-column-type
alter table namespaces alter avatar type text;
-- squawk-ignore changing-column-type
alter table topics alter avatar type text;
drop domain blob_key;

insert into files (id, storage, key, media_type, created_at, used_at)
select substr(avatar, 9, 2) || substr(avatar, 12), 'disk', substr(avatar, 9), 'image/png', now(), now()
from (
  select avatar from users union select avatar from namespaces union select avatar from topics
) a
where avatar is not null;

update users set avatar = substr(avatar, 9, 2) || substr(avatar, 12) where avatar is not null;
update namespaces set avatar = substr(avatar, 9, 2) || substr(avatar, 12) where avatar is not null;
update topics set avatar = substr(avatar, 9, 2) || substr(avatar, 12) where avatar is not null;

alter table users add foreign key (avatar) references files (id) on delete restrict;
alter table namespaces add foreign key (avatar) references files (id) on delete restrict;
alter table topics add foreign key (avatar) references files (id) on delete restrict;
