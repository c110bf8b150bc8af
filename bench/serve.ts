import { setTimeout as pause } from 'node:timers/promises'
import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { sql } from 'kysely'
import { readConfig } from '#platform/config/config.ts'
import { transact } from '#platform/db/transaction.ts'
import { keepHeapSmall } from '#platform/processes/heap.ts'
import { changeSettings } from '#platform/settings/change-settings.ts'
import { startServer } from '../src/server.ts'
import { type Job, jobs, ROOT_TOKEN, type World } from './jobs.ts'
import { fillLarge, type LargeSizes } from './large-data.ts'

// The server under measurement, with as many issues and notes as it is told. It says where it is, what it has, and which
// statements, with which values, each job costs.

export interface Told {
  readonly sizes: Partial<LargeSizes>
  /** In all, besides 1,000 of a merge request. The issue that is asked has 1,000 of them, and as many others as it takes have the rest. */
  readonly notes: number
  /** In all, in the project that is asked. */
  readonly events: number
  /** Of the project that is asked, without a repository. */
  readonly mergeRequests: number
}

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

export interface Served {
  readonly url: string
  readonly world: World
  /** By the names of the jobs. */
  readonly statements: Readonly<Record<string, readonly Statement[]>>
  readonly address: { host: string; port: number; user: string; password: string; database: string }
}

const NOTES = 1_000
const { sizes, notes, events, mergeRequests }: Told = JSON.parse(process.argv[2] ?? '')
const administrator = { token: ROOT_TOKEN }
/** Filled only while it is wanted: under load it would grow without end. */
let statements: Statement[] | undefined
keepHeapSmall()
const server = await startServer({
  config: readConfig({ ...process.env, FORGELET_PORT: '0', FORGELET_ROOT_TOKEN: administrator.token }),
  // Requests that fail are counted where they are sent. At the end, some are still on their way.
  log: pino({ level: 'fatal' }, pino.destination(2)),
  withPassword: false,
  onStatement: (text, values) => void statements?.push({ text, values }),
})
process.once('SIGTERM', () => void server.stop().finally(() => process.exit(0)))
const { url, services } = server

const client = await services.pool.connect()
const data = await fillLarge(client, sizes)
await client.query('set statement_timeout = 0; set synchronous_commit = off')
await insertMergeRequests()
await withoutKeys('notes', insertNotes)
await withoutKeys('events', insertEvents)
await client.query('vacuum analyze events')
await vacuumNotes()
const joined = await client.query<{ id: number }>(
  `select p.id from projects p join members m on m.namespace_id = p.project_namespace_id where m.user_id = $1 order by p.id`,
  [data.joiner.id],
)
client.release(true)
await transact(services, { author: null, ip: null }, (tx) => changeSettings(tx, { notes_create_limit: 0 }))
await services.settingsView.reload()
const world: World = { ...data, administrator, joined: joined.rows.map(({ id }) => id) }

/** As many as make a list of pages. They need no repository to be listed. */
async function insertMergeRequests(): Promise<void> {
  await client.query(
    `with made as (
      insert into merge_requests (project_id, source_project_id, iid, title, author_id, source_branch, target_branch, head_sha,
        base_sha, start_sha, changed_files, created_at)
      select $1, $1, n, 'Merge request ' || n, $2, 'branch-' || n, 'main', md5(n::text) || '00000000', repeat('0', 40),
        repeat('0', 40), n, now() - n * interval '1 minute' from generate_series(1, $3::integer) as n
      returning id, project_id, created_at
    )
    insert into noteables (id, kind, namespace_id, updated_at)
    select made.id, 'merge_request', p.project_namespace_id, made.created_at
      from made join projects p on p.id = made.project_id`,
    [data.largeProject, data.member.id, mergeRequests],
  )
  await client.query('analyze merge_requests')
}

/** Through the program, ten million notes would take hours. */
async function insertNotes(): Promise<void> {
  const values = [NOTES, data.member.id, notes / NOTES, data.largeProject]
  await client.query(
    `insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, system, about_noteable_id,
      created_at, updated_at)
    select i.id, $2::bigint, 'A comment of a line or so, as people write them, number ' || n,
      sha224((i.id || '-' || n)::bytea), true, n % 10 = 0, case when n % 10 = 0 then i.mentioned_by end, now() + n * interval '1 second', now() + n * interval '1 second'
    from generate_series(1, $1::integer) as n, (
        select id, case iid when 2 then (select min(id) from issues where project_id = $4::bigint) end as mentioned_by
          from merge_requests where project_id = $4::bigint and iid <= 2
        union all (select id, null from issues order by project_id <> $4::bigint or iid <> 1, id limit $3::integer)) as i`,
    values,
  )
  await client.query(
    `update noteables set notes_count = $1::integer * 9 / 10 where id in (select noteable_id from notes)`,
    [NOTES],
  )
}

/**
 * What autovacuum does in time, so that totals are counted in the index. While anybody has an older snapshot, for example
 * because statistics of another table are gathered, pages cannot be marked as visible to all.
 */
async function vacuumNotes(): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    await client.query('vacuum analyze notes')
    const { rows } = await client.query<{ left: number }>(
      `select relpages - relallvisible as left from pg_class where oid = 'notes'::regclass`,
    )
    if (rows[0]?.left === 0) return
    await pause(100)
  }
}

/** Pushes, and an issue closed after every ninth of them, in the partitions of three years. */
async function insertEvents(): Promise<void> {
  await client.query(`
    drop table partitions.events_past;
    do $$
    declare month timestamptz;
    begin
      for ago in 1..36 loop
        month := (date_trunc('month', now() at time zone 'UTC') - make_interval(months => ago)) at time zone 'UTC';
        execute format('create table partitions.%I partition of events for values from (%L) to (%L)',
          'events_' || to_char(month, 'YYYY_MM'), month, month + interval '1 month');
      end loop;
    end
    $$`)
  await client.query(
    `insert into events (project_id, author_id, kind, target_id, details, created_at, recorded_at)
    select $1::bigint, $2::bigint, case n % 10 when 0 then 11 else 5 end, case n % 10 when 0 then i.id end,
      case when n % 10 > 0 then '{"action": "pushed", "ref_type": "branch", "ref": "main", "commit_count": 1}'::jsonb end,
      now() - n * interval '9 seconds', now() - n * interval '9 seconds'
    from generate_series(1, $3::integer) as n, (select min(id) as id from issues where project_id = $1::bigint) as i`,
    [data.largeProject, data.member.id, events],
  )
  await client.query(
    'insert into event_streams (author_id, project_id, kind) select $1::bigint, $2::bigint, unnest(array[5, 11])',
    [data.member.id, data.largeProject],
  )
}

/**
 * Fills a table without its indexes and foreign keys, which are made afterwards: PostgreSQL then checks ten million rows by
 * reading them once, and not one by one.
 */
async function withoutKeys(table: string, fill: () => Promise<void>): Promise<void> {
  const { rows: indexes } = await sql<{ indexname: string; indexdef: string }>`
    select indexname, indexdef from pg_indexes
    where tablename = ${table} and indexname <> ${`${table}_pkey`}`.execute(services.db)
  const { rows: keys } = await sql<{ name: string; definition: string }>`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${table}::regclass and contype = 'f'`.execute(services.db)
  for (const { name } of keys) await client.query(`alter table ${table} drop constraint ${name}`)
  for (const { indexname } of indexes) await client.query(`drop index ${indexname}`)
  await fill()
  // Of a table with partitions, PostgreSQL tells the index of the table alone.
  for (const { indexdef } of indexes) await client.query(indexdef.replace(' ON ONLY ', ' ON '))
  for (const { name, definition } of keys)
    await client.query(`alter table ${table} add constraint ${name} ${definition}`)
}

/** The statements of a job that was done before, so that nothing is done for the first time. */
async function statementsOf({ as, path, body }: Job): Promise<Statement[]> {
  const where = `${url}/api/v4${path(world)}`
  const headers = { 'private-token': world[as].token, 'content-type': 'application/json' }
  let taken: Statement[] = []
  for (const _ of [1, 2]) {
    taken = statements = []
    const answer = await fetch(where, body === undefined ? { headers } : { method: 'POST', headers, body })
    await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} from ${where}`)
  }
  statements = undefined
  return taken
}

const found: Record<string, Statement[]> = {}
for (const job of jobs) found[job.name] = await statementsOf(job)
const { host, port, user, password, database } = services.pool.options
// What filling has left is no memory of the server's.
v8.setFlagsFromString('--expose-gc')
runInNewContext('gc')()
process.stdout.write(
  `${JSON.stringify({ url, world, statements: found, address: { host, port, user, password, database } })}\n`,
)
