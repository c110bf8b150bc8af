import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Log } from '#platform/context.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { transact } from '#platform/db/transaction.ts'
import { record, writeFacts } from '#platform/facts/record.ts'
import { changeSettings } from '#platform/settings/change-settings.ts'
import { quiet } from '#test/job-worker.ts'
import { openWorld, type World } from '#test/world.ts'
import { keepPartitions } from './keep-partitions.ts'

let own: World
let place: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld(undefined, 'premium')
  place = await own.project()
})
afterAll(() => own.running.stop())

async function run(log: Log = quiet): Promise<void> {
  const { services } = own.running
  const job: JobContext = {
    ...services,
    log,
    attempt: 1,
    signal: new AbortController().signal,
    transact: (work) => transact(services, { author: null, ip: null }, work),
  }
  await keepPartitions.execute({}, job)
}

async function partitions(table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'partitions'::regnamespace and c.relkind = 'r' and c.relname like ${`${table}%`}
    order by 1`.execute(own.db)
  return rows.map(({ name }) => name.slice(table.length + 1))
}

/** The months from this one on, as partitions are named. */
async function months(from: number, to: number): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    select to_char(date_trunc('month', now()) + make_interval(months => n), 'YYYY_MM') as month
    from generate_series(${from}::integer, ${to}::integer) as n order by 1`.execute(own.db)
  return rows.map(({ month }) => month)
}

/** Makes the months before this one, in the place of the one partition for all of the past. */
async function splitPast(table: string, count: number): Promise<void> {
  await sql`drop table ${sql.table(`partitions.${table}_past`)}`.execute(own.db)
  for (let ago = 1; ago <= count; ago += 1) {
    const { rows } = await sql<{ name: string; from: string; to: string }>`
      select to_char(first, '"_"YYYY"_"MM') as name, first::text as from, (first + interval '1 month')::text as to
      from (select date_trunc('month', now()) - make_interval(months => ${ago}::integer)) as m (first)`.execute(
      own.db,
    )
    const { name = '', from, to } = rows[0] ?? {}
    await sql`create table ${sql.table(`partitions.${table}${name}`)} partition of ${sql.table(table)}
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(own.db)
  }
}

/** An audit event about the project of so many months ago. @returns its id. */
async function event(ago: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into audit_events (event_name, author_id, author_name, entity_type, entity_id, entity_path, target_type, details,
      created_at, recorded_at)
    select 'member_created', 1, 'Root', 'Project', ${place.id}::bigint, 'path', 'User', '{}', at, at
    from (select date_trunc('month', now()) - make_interval(months => ${ago}::integer) + interval '1 hour') as m (at)
    returning id`.execute(own.db)
  return rows[0]?.id ?? 0
}

const listed = async (): Promise<number[]> =>
  (await place.maintainer.get(`/projects/${place.id}/audit_events?per_page=100`)).body.map(
    ({ id }: { id: number }) => id,
  )

const set = (days: number) =>
  own.write((tx) => changeSettings(tx, { facts_retention_days: days, audit_events_retention_days: days }))

describe('partitions', () => {
  test('are there for the next months, and made anew when they are missing', async () => {
    const expected = [...(await months(0, 2)), 'default', 'past']
    for (const table of ['facts', 'audit_events']) {
      expect(await partitions(table)).toEqual(expected)
      const [, next] = expected
      await sql`drop table ${sql.table(`partitions.${table}_${next}`)}`.execute(own.db)
    }
    const told: unknown[] = []
    await run({ ...quiet, info: (details) => void told.push(details) })
    for (const table of ['facts', 'audit_events']) expect(await partitions(table)).toEqual(expected)
    expect(told).toMatchObject([
      { table: 'facts', dropped: [] },
      { table: 'audit_events', dropped: [] },
    ])
    await run({ ...quiet, info: () => expect.unreachable('nothing was to be done') })
  })

  test('of months that are too old go with their rows, the others stay', async () => {
    await splitPast('audit_events', 6)
    const [recent, old, older] = [await event(1), await event(4), await event(6)]
    expect(await listed()).toEqual(expect.arrayContaining([recent, old, older]))
    await set(0)
    await run()
    expect(await listed()).toEqual(expect.arrayContaining([recent, old, older]))
    await set(100)
    await run()
    expect(await listed()).toEqual(expect.arrayContaining([recent]))
    expect(await listed()).not.toEqual(expect.arrayContaining([old]))
    expect(await listed()).not.toEqual(expect.arrayContaining([older]))
    const left = await partitions('audit_events')
    expect(left).toEqual([...(await months(-3, 2)), 'default'])
    expect((await place.maintainer.get(`/projects/${place.id}/audit_events/${old}`)).status).toBe(404)
  })

  test('take the rows for which there was none, until those are too old', async () => {
    await set(100)
    const old = await event(30)
    expect(await listed()).toContain(old)
    await run()
    expect(await listed()).not.toContain(old)
  })

  test('of events of errors, and of their hours, go after the days of their own setting', async () => {
    for (const table of ['error_events', 'error_hours']) await splitPast(table, 8)
    const { rows } = await sql<{ id: number }>`
      insert into errors (project_id, fingerprint, title, level, first_seen_at, last_seen_at)
      values (${place.id}, '\\x00', 'Old', 'error', now() - interval '2 years', now()) returning id`.execute(
      own.db,
    )
    const id = rows[0]?.id ?? 0
    for (const months of [0, 8]) {
      const at = sql`now() - make_interval(months => ${months}::integer)`
      await sql`
        insert into error_events (error_id, event_id, event, occurred_at, recorded_at)
        values (${id}, ${`event ${months}`}, '{}', ${at}, ${at})`.execute(own.db)
      await sql`
        insert into error_hours (error_id, recorded_at, events_count) values (${id}, date_trunc('hour', ${at}), 1)`.execute(
        own.db,
      )
    }
    const left = async () => {
      const { rows: kept } = await sql<{ events: string[]; hours: number }>`
        select array_agg(event_id order by event_id) as events, (select count(*) from error_hours where error_id = ${id}) as hours
        from error_events where error_id = ${id}`.execute(own.db)
      return kept[0]
    }
    await own.write((tx) => changeSettings(tx, { error_events_retention_days: 300 }))
    await run()
    expect(await left()).toEqual({ events: ['event 0', 'event 8'], hours: 2 })
    await own.write((tx) => changeSettings(tx, { error_events_retention_days: 100 }))
    await run()
    expect(await left()).toEqual({ events: ['event 0'], hours: 1 })
  })

  test('that could not be dropped last time are dropped this time', async () => {
    await set(100)
    await sql`create table partitions.audit_events_2001_01 (like audit_events)`.execute(own.db)
    await run()
    expect(await partitions('audit_events')).not.toContain('2001_01')
  })

  test('are dropped between the statements of others: no write waits for a long reader', async () => {
    await splitPast('facts', 2)
    await set(1)
    const reader = await own.running.services.pool.connect()
    await reader.query('begin')
    await reader.query('select count(*) from facts')
    let over = false
    const dropping = run().finally(() => (over = true))
    for (let count = 0; count < 5; count += 1) {
      const { status } = await place.maintainer.post(`/projects/${place.id}/labels`, {
        name: `label ${count}`,
        color: 'red',
      })
      expect([status, over]).toEqual([201, false])
    }
    await reader.query('commit')
    reader.release()
    await dropping
    expect(await partitions('facts')).not.toContain((await months(-2, -2))[0])
  })
})

describe('facts', () => {
  test('of a project and a user that are gone show nothing of them', async () => {
    const gone = await own.project({ visibility: 'public' })
    const { developer } = gone
    expect((await developer.post(`/projects/${gone.id}/issues`, { title: 'Work' })).status).toBe(201)
    const contributed = () => own.root.get(`/users/${developer.id}/contributed_projects`)
    expect((await contributed()).body).toMatchObject([{ id: gone.id }])
    await sql`delete from namespaces where id = ${gone.namespaceId}`.execute(own.db)
    expect(await contributed()).toMatchObject({ status: 200, body: [] })
    const { rows } = await sql<{ left: number }>`
      select count(*) as left from facts where namespace_id = ${gone.namespaceId}`.execute(own.db)
    expect(rows[0]?.left).toBeGreaterThan(0)
    await sql`delete from users where id = ${developer.id}`.execute(own.db)
    expect((await contributed()).status).toBe(404)
  })

  test('come with the transaction that recorded them, so that a reader can follow them in turn', async () => {
    await own.write(async (tx) => {
      const namespace = place.namespaceId
      const fact = { name: 'label created', namespace, target: null, details: { label: 'bug' } } as const
      record(tx, fact)
      await writeFacts(tx)
      const { rows } = await sql`
        select xact_id >= pg_snapshot_xmin(pg_current_snapshot()) as open from facts
        where namespace_id = ${namespace} order by id desc limit 1`.execute(tx.db)
      expect(rows).toEqual([{ open: true }])
    })
    const { rows: plan } = await sql<{ 'QUERY PLAN': string }>`
      explain select id from facts where (xact_id, id) > ('0'::xid8, 0) order by xact_id, id limit 10`.execute(
      own.db,
    )
    const text = plan.map((line) => line['QUERY PLAN']).join('\n')
    expect(text).toMatch(/_xact_id_id_idx/)
    expect(text).not.toMatch(/->\s+Sort /)
  })
})
