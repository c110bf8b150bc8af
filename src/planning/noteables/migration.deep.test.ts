import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { migrate } from '#platform/db/migrate.ts'
import { MIGRATIONS } from '#platform/db/migration-files.ts'
import { openPool } from '#platform/db/pool.ts'
import { dropDatabase, newBareDatabase } from '#test/new-database.ts'

/** What an instance has from before there were noteables: ids with gaps, and one of everything that hung on issues. */
const before = `
  insert into organizations (id, name, path) values (1, 'Default', 'default') on conflict do nothing;
  insert into users (id, username, name, email, created_at, updated_at)
    values (1, 'ada', 'Ada', 'ada@example.com', now(), now());
  insert into namespaces (id, kind, owner_id, parent_id, traversal_ids, path, full_path, name, full_name, visibility,
      created_at, updated_at)
    values (4, 'user', 1, null, array[4], 'ada', 'ada', 'Ada', 'Ada', 'public', now(), now()),
      (5, 'project', null, 4, array[4, 5], 'p', 'ada/p', 'p', 'Ada / p', 'private', now(), now());
  insert into projects (id, project_namespace_id, last_activity_at) values (3, 5, now());
  insert into issues (id, project_id, iid, title, author_id, created_at, updated_at)
    values (11, 3, 1, 'One', 1, now(), now()), (40, 3, 2, 'Two', 1, now(), now());
  select setval(pg_get_serial_sequence('issues', 'id'), 42);
  insert into notes (id, issue_id, author_id, body, discussion_id, starts_discussion, about_issue_id, created_at, updated_at)
    values (1, 11, 1, 'about the other', '\\x01', true, 40, now(), now());
  insert into user_mentions (issue_id, note_id, user_id) values (11, 1, 1);
  insert into award_emoji (issue_id, name, user_id, created_at, updated_at) values (40, 'tada', 1, now(), now());
  insert into award_emoji (note_id, name, user_id, created_at, updated_at) values (1, 'tada', 1, now(), now());
  insert into issue_subscriptions (issue_id, user_id, subscribed) values (11, 1, false);
  insert into resource_events (kind, issue_id, user_id, created_at, state) values ('state', 40, 1, now(), 'closed');
  insert into timelogs (issue_id, user_id, time_spent, spent_at) values (40, 1, 60, now());`

/** Where each row hangs now. */
const after = `
  select 'noteable' as what, id::integer as on from noteables where kind = 'issue' and namespace_id = 5
  union all select 'note', noteable_id::integer from notes
  union all select 'about', about_noteable_id::integer from notes
  union all select 'mention', noteable_id::integer from user_mentions
  union all select 'award', noteable_id::integer from award_emoji
  union all select 'subscription', noteable_id::integer from subscriptions
  union all select 'event', noteable_id::integer from resource_events
  union all select 'time', noteable_id::integer from timelogs
  order by 1, 2`

test('what hung on issues hangs on noteables of the same ids', async () => {
  const address = await newBareDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  const pool = openPool(address, 2)
  try {
    const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).toSorted()
    const own = files.findIndex((name) => name.endsWith('-noteables.sql'))
    const earlier = files.slice(0, own)
    await Promise.all(earlier.map((name) => copyFile(new URL(name, MIGRATIONS), join(folder, name))))
    await migrate(pool, { folder: pathToFileURL(`${folder}/`) })
    await pool.query(before)
    await migrate(pool)
    const { rows } = await pool.query<{ what: string; on: number | null }>(after)
    expect(rows.map(({ what, on }) => `${what} ${on}`)).toEqual([
      'about 40',
      'award 40',
      'award null',
      'event 40',
      'mention 11',
      'note 11',
      'noteable 11',
      'noteable 40',
      'subscription 11',
      'time 40',
    ])
    const { rows: next } = await pool.query("select nextval('noteables_id_seq')::integer as id")
    expect(next).toEqual([{ id: 43 }])
    await pool.query('delete from noteables where id = 40')
    const { rows: left } = await pool.query(
      'select (select count(*) from issues)::integer as issues, (select count(*) from notes)::integer as notes',
    )
    expect(left).toEqual([{ issues: 1, notes: 0 }])
  } finally {
    await pool.end()
    await dropDatabase(address)
    await rm(folder, { recursive: true })
  }
})
