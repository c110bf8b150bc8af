import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lintMigrations } from '../../scripts/lint-migrations.ts'

let path: string

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'migrations-'))
})
afterEach(() => rm(path, { recursive: true }))

/** What is wrong with a migration of these lines. */
async function lint(...lines: readonly string[]): Promise<string[]> {
  await writeFile(join(path, '0001-test.sql'), `-- works with: 1\n${lines.join('\n')}\n`)
  return lintMigrations(pathToFileURL(`${path}/`))
}

describe('a migration', () => {
  test.each([
    ['create index issues_weight on issues (weight);', 'require-concurrent-index-creation'],
    ['drop index issues_weight;', 'require-concurrent-index-deletion'],
    ['alter table issues add column token uuid default gen_random_uuid();', 'adding-field-with-default'],
    ['alter table issues alter column weight set not null;', 'adding-not-nullable-field'],
    ['alter table issues add constraint light check (weight < 9);', 'constraint-missing-not-valid'],
    ['alter table issues add foreign key (weight) references users (id);', 'adding-foreign-key-constraint'],
    ['alter table issues add unique (weight);', 'disallowed-unique-constraint'],
    ['alter table issues alter column weight type bigint;', 'changing-column-type'],
    ['alter table issues add column size integer not null;', 'adding-required-field'],
    ['alter table issues drop column weight;', 'ban-drop-column'],
    ['alter table issues rename column weight to size;', 'renaming-column'],
    ['drop table issues;', 'ban-drop-table'],
    [
      'select 1; create index concurrently i on issues (weight);',
      'ban-concurrent-index-creation-in-transaction',
    ],
  ])('with `%s` is refused', async (statement, rule) => {
    expect((await lint(statement)).join('\n')).toContain(rule)
  })

  test('that cannot be repeated outside a transaction is refused', async () => {
    const statement = 'create index concurrently i on issues (weight);'
    expect((await lint('-- outside a transaction', statement)).join('\n')).toContain('prefer-robust-stmts')
  })

  test('is free with tables of its own, and with what locks nothing for long', async () => {
    expect(
      await lint(
        'create table sizes (id bigint primary key, size integer);',
        'create index sizes_size on sizes (size);',
        'alter table sizes add constraint small check (size < 9);',
        'alter table issues add column size integer not null default 0;',
        'alter table issues add constraint small check (size < 9) not valid;',
      ),
    ).toEqual([])
    expect(
      await lint(
        '-- outside a transaction',
        'create index concurrently if not exists issues_size on issues (size);',
      ),
    ).toEqual([])
    expect(await lint('alter table issues validate constraint small;')).toEqual([])
  })

  test('may lock tables, or take something away, when it says so', async () => {
    expect(await lint('-- locks tables: it is small', 'create index i on settings (updated_at);')).toEqual([])
    expect(await lint('-- squawk-ignore ban-drop-column', 'alter table issues drop column weight;')).toEqual(
      [],
    )
  })
})
