import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemRandomness } from '#platform/context.ts'
import { type Db, openDb } from '#platform/db/pool.ts'
import { type Author, transact, type Tx } from '#platform/db/transaction.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import type { Consumer } from './fact.ts'
import { type Fact, record, recorder } from './record.ts'
// Installs the features.
import '#app.ts'

let database: ScratchDatabase
let db: Db
let statements: string[] = []
let author: Author
let place: { namespace: number; project: number }

const CREATED = '2026-01-01T00:00:00.000Z'
const LATER = '2026-01-02T10:00:00.250Z'

function write<T>(work: (tx: Tx) => Promise<T>, at = LATER): Promise<T> {
  const source = { db, clock: { now: () => new Date(at) }, random: systemRandomness }
  return transact(source, { author, ip: '192.0.2.7', requestId: 'the request' }, work)
}

beforeAll(async () => {
  database = await createScratchDatabase()
  db = openDb(database.pool, (text) => void statements.push(text))
  await sql`insert into organizations (name, path) values ('Default', 'default')`.execute(db)
  const { rows } = await sql<Author>`
    insert into users (username, name, email, created_at, updated_at)
    values ('ada', 'Ada', 'ada@example.com', ${CREATED}, ${CREATED}) returning id, username`.execute(db)
  author = rows[0] ?? { id: 0, username: '' }
})
afterAll(() => database[Symbol.asyncDispose]())

let serial = 0
async function addNamespace(kind: 'group' | 'project', parent: number | null): Promise<number> {
  const path = `${kind}-${++serial}`
  const { id } = await db
    .insertInto('namespaces')
    .values({
      kind,
      parent_id: parent,
      traversal_ids: [],
      path,
      full_path: path,
      name: path,
      full_name: path,
      visibility: 'private',
      created_at: CREATED,
      updated_at: CREATED,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

beforeEach(async () => {
  const namespace = await addNamespace('project', await addNamespace('group', null))
  const { id } = await db
    .insertInto('projects')
    .values({ project_namespace_id: namespace, last_activity_at: CREATED })
    .returning('id')
    .executeTakeFirstOrThrow()
  place = { namespace, project: id }
  statements = []
})

async function lastActivity(): Promise<string> {
  const project = await db
    .selectFrom('projects')
    .select('last_activity_at')
    .where('id', '=', place.project)
    .executeTakeFirstOrThrow()
  return project.last_activity_at
}

const labelCreated = (): Fact => ({
  name: 'label created',
  namespace: place.namespace,
  target: { type: 'Label', id: 5 },
  details: { label: 'bug' },
})

const written = () =>
  db.selectFrom('facts').selectAll().where('namespace_id', '=', place.namespace).orderBy('id').execute()

describe('record', () => {
  it('keeps who did what, where and when, in one statement', async () => {
    await write(async (tx) => record(tx, labelCreated()))
    expect(statements).toHaveLength(1)
    expect(await written()).toEqual([
      {
        id: expect.any(Number),
        name: 'label created',
        at: '2026-01-02 10:00:00.25+00',
        actor_id: author.id,
        behind_id: null,
        namespace_id: place.namespace,
        target_type: 'Label',
        target_id: 5,
        details: { label: 'bug' },
        ip: '192.0.2.7',
        request_id: 'the request',
        recorded_at: expect.any(String),
        xact_id: expect.any(String),
      },
    ])
  })

  it('writes all facts of a transaction in one statement, in their order', async () => {
    const names = Array.from({ length: 500 }, (_, number) => `label ${number}`)
    await write(async (tx) => {
      for (const label of names) record(tx, { ...labelCreated(), name: 'label created', details: { label } })
    })
    expect(statements).toHaveLength(1)
    expect((await written()).map(({ details }) => details)).toEqual(names.map((label) => ({ label })))
  })

  it('sends the same text however many facts there are', async () => {
    await write(async (tx) => record(tx, labelCreated()))
    await write(async (tx) => {
      record(tx, labelCreated())
      record(tx, labelCreated())
    })
    expect(new Set(statements).size).toBe(1)
  })

  it('tells who did it even when one transaction has several authors', async () => {
    await write(async (tx) => {
      record({ ...tx, author: null }, labelCreated())
      record(tx, labelCreated())
    })
    expect((await written()).map(({ actor_id }) => actor_id)).toEqual([null, author.id])
  })

  it('moves the last activity of the project, never back', async () => {
    await write(async (tx) => record(tx, labelCreated()))
    expect(await lastActivity()).toBe('2026-01-02 10:00:00.25+00')
    await write(async (tx) => record(tx, labelCreated()), '2025-12-31T00:00:00.000Z')
    expect(await lastActivity()).toBe('2026-01-02 10:00:00.25+00')
  })

  it('moves the last activity at most once a minute', async () => {
    await write(async (tx) => record(tx, labelCreated()), '2026-01-02T10:00:00.000Z')
    await write(async (tx) => record(tx, labelCreated()), '2026-01-02T10:00:59.999Z')
    expect(await lastActivity()).toBe('2026-01-02 10:00:00+00')
    await write(async (tx) => record(tx, labelCreated()), '2026-01-02T10:01:00.000Z')
    expect(await lastActivity()).toBe('2026-01-02 10:01:00+00')
  })

  it('leaves the last activity alone for what is no activity', async () => {
    const details = { fields: ['description'] }
    await write(async (tx) =>
      record(tx, { name: 'project changed', namespace: place.namespace, target: null, details }),
    )
    expect(await lastActivity()).toBe('2026-01-01 00:00:00+00')
  })

  it('is undone with the transaction', async () => {
    const failing = write(async (tx) => {
      record(tx, labelCreated())
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await lastActivity()).toBe('2026-01-01 00:00:00+00')
    expect(await written()).toEqual([])
  })
})

describe('consumers', () => {
  it('get the rows of the facts that they name, in the statement that records them', async () => {
    const labels: Consumer<'label created' | 'label deleted'> = {
      name: 'labels_seen',
      facts: () => ['label created', 'label deleted'],
      // The details are those of the facts named.
      rows: ({ name, details }, { now }) => [{ name: `${name} ${details.label}`, now }],
      statement: (rows) => sql`
        insert into settings (name, value, updated_at)
        select s.name, '1', s.now from jsonb_to_recordset(${rows}) as s (name text, now timestamptz)`,
    }
    const { record: note } = recorder(() => [labels])
    await write(async (tx) => {
      note(tx, labelCreated())
      note(tx, { name: 'user blocked', namespace: null, target: null, details: { username: 'eve' } })
    })
    expect(statements).toHaveLength(1)
    expect(await db.selectFrom('settings').select('name').where('name', 'like', 'label %').execute()).toEqual(
      [{ name: 'label created bug' }],
    )
  })
})
