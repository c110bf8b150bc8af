import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { createScratchDatabase } from '#test/scratch-database.ts'
import { readForeignKeys } from './foreign-keys.ts'

test('what would be deleted along foreign keys can be found by an index, whatever its table', async () => {
  const { rows } = await sql`
    select c.conrelid::regclass::text as "table", a.attname as "column"
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.confdeltype in ('c', 'n') and not exists (
      -- One of some rows only will do when they are all that refer to anything.
      select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = c.conkey[1] and (i.indpred is null
        or pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))
    order by 1, 2`.execute(w.db)
  expect(rows).toEqual([])
})

test('deletions have an order: the tables with most below them come first', async () => {
  const keys = await readForeignKeys(w.db)
  const tables = keys
    .to('namespaces')
    .flatMap(({ table, onDelete }) => (onDelete === 'cascade' ? [table] : []))
  expect(tables.slice(0, 2).toSorted()).toEqual(['noteables', 'projects'])
  expect(tables.indexOf('labels')).toBeLessThan(tables.indexOf('redirects'))
  expect(keys.to('redirects')).toEqual([])
  const moved = { table: 'issues', column: 'moved_to_id', primaryKey: ['id'], onDelete: 'set null' }
  expect(keys.to('issues')).toContainEqual(expect.objectContaining(moved))
})

test('keys that cannot be followed in batches are refused, with the reason', async () => {
  await using database = await createScratchDatabase()
  const { db } = database
  const refused = async (table: string): Promise<string> => {
    await sql.raw(`create table ${table}`).execute(db)
    const problem = await readForeignKeys(db).then(
      () => 'none',
      ({ message }: Error) => message,
    )
    await sql.raw(`drop table ${table.split(' ')[0]}`).execute(db)
    return problem
  }
  expect(
    await refused('loops (id bigint primary key, parent_id bigint references loops on delete cascade)'),
  ).toBe('Deletions go in a circle: loops, loops')
  expect(await refused('bare (issue_id bigint references issues on delete cascade)')).toBe(
    'The foreign key bare.issue_id is of a table without a primary key',
  )
  expect(
    await refused(
      'pairs (id bigint primary key, a bigint, b bigint, foreign key (a, b) references issue_labels on delete cascade)',
    ),
  ).toBe('The foreign key pairs.a has several columns: rows cannot be removed along it in batches')
})
