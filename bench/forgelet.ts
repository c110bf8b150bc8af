import { pino } from 'pino'
import { sql } from 'kysely'
import { readConfig } from '#platform/config/config.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { createGroup } from '#tenancy/groups/create-group.ts'
import { createIssue } from '#planning/issues/create-issue.ts'
import { addMember } from '#tenancy/members/add-member.ts'
import { createProject } from '#tenancy/projects/create-project.ts'
import { changeSettings } from '#platform/settings/change-settings.ts'
import { createToken } from '#identity/tokens/create-token.ts'
import { createUser } from '#identity/users/create-user.ts'
import { startServer } from '../src/server.ts'

// The server under measurement: a project with an issue of 1,000 notes, among as many notes as it is told, and
// somebody who may read and write them. Says where it is, and which statements, with which values, one list and one
// creation of a note cost.

/** Notes on an issue, and projects besides the one that is asked. */
const NOTES = 1_000
const OTHERS = 50

const total = Number(process.argv[2] ?? 10_000)
let statements: { text: string; values: readonly unknown[] }[] = []
const { url, services } = await startServer({
  config: readConfig({ FORGELET_PORT: '0' }),
  log: pino({ level: 'warn' }),
  ephemeral: true,
  withPassword: false,
  onStatement: (text, values) => statements.push({ text, values }),
})
const nobody = { author: null, ip: null }

const user = await transact(services, nobody, (tx) =>
  createUser(tx, { username: 'reader', name: 'Reader', email: 'reader@example.com', passwordDigest: null }),
)
const { token, project } = await transact(services, nobody, async (tx) => {
  const made: number[] = []
  for (let count = 0; count <= OTHERS; count += 1) {
    const path = `group-${count}`
    const group = await createGroup(tx, { name: path, path, visibility: 'private', parentId: null })
    if (count === 0) await addMember(tx, { namespaceId: group.id, userId: user.id, accessLevel: 30 })
    const place = { name: 'Bench', path: 'project', visibility: 'private' as const, parentId: group.id }
    made.push((await createProject(tx, place)).id)
  }
  const { secret } = await createToken(tx, {
    kind: 'personal',
    userId: user.id,
    name: 'bench',
    scopes: ['api'],
    expiresAt: null,
    prefix: 'glpat-',
  })
  return { token: secret, project: made[0] ?? 0 }
})
const author = { id: user.id, username: 'reader' }
await transact(services, { author, ip: null }, async (tx) => {
  const { project_namespace_id: namespace_id } = await tx.db
    .selectFrom('projects')
    .select('project_namespace_id')
    .where('id', '=', project)
    .executeTakeFirstOrThrow()
  await createIssue(tx, { id: project, namespace_id }, { title: 'The one that is asked' })
  await changeSettings(tx, { notes_create_limit: 0 })
})
await services.settingsView.reload()

// The rest by hand: through the verbs ten million would take hours.
await sql`set synchronous_commit = off`.execute(services.db)
await sql`
  with made as (insert into issues (project_id, iid, title, author_id, created_at, updated_at)
  select p.id, n, 'Another one', ${user.id}, now(), now()
  from projects p, generate_series(2, ${Math.ceil(total / NOTES / OTHERS)}::integer + 1) as n
  where p.id <> ${project} limit ${Math.max(0, total / NOTES - 1)} returning id, project_id)
  insert into noteables (id, kind, namespace_id)
  select made.id, 'issue', p.project_namespace_id from made join projects p on p.id = made.project_id`.execute(
  services.db,
)
await withoutIndexes('notes', (db) =>
  sql`
    insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, system, created_at, updated_at)
    select i.id, ${user.id}::bigint, 'A comment of a line or so, as people write them, number ' || n,
      sha224((i.id || '-' || n)::bytea), true, n % 10 = 0, now() + n * interval '1 second', now() + n * interval '1 second'
    from generate_series(1, ${NOTES}::integer) as n, issues i`.execute(db),
)
await sql`update issues set notes_count = ${NOTES}::integer * 9 / 10`.execute(services.db)
await vacuum()

/** Fills a table without its indexes, which are made afterwards: millions of rows take minutes instead of an hour. */
async function withoutIndexes(table: string, fill: (db: Tx['db']) => Promise<unknown>): Promise<void> {
  await services.db.transaction().execute(async (db) => {
    await sql`set local statement_timeout = 0`.execute(db)
    const { rows } = await sql<{ indexname: string; indexdef: string }>`
      select indexname, indexdef from pg_indexes
      where tablename = ${table} and indexname <> ${`${table}_pkey`}`.execute(db)
    for (const { indexname } of rows) await sql`drop index ${sql.id(indexname)}`.execute(db)
    await fill(db)
    for (const { indexdef } of rows) await sql.raw(indexdef).execute(db)
  })
}

/** As a running instance is kept: without it every row that is counted would be looked up. */
async function vacuum(): Promise<void> {
  const client = await services.pool.connect()
  await client.query('set statement_timeout = 0')
  await client.query('vacuum analyze')
  client.release(true)
}

const notes = `${url}/api/v4/projects/${project}/issues/1/notes`
const headers = { 'private-token': token, 'content-type': 'application/json' }
const body = JSON.stringify({ body: 'A comment of a line or so, as people write them.' })

/** The statements of a request that was sent before, so that nothing is done for the first time. */
async function statementsOf(send: () => Promise<Response>): Promise<typeof statements> {
  for (const _ of [1, 2]) {
    statements = []
    const answer = await send()
    await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} from ${notes}`)
  }
  return statements
}

const list = await statementsOf(() => fetch(notes, { headers }))
const create = await statementsOf(() => fetch(notes, { method: 'POST', headers, body }))
const { host, port, user: owner, password, database } = services.pool.options
process.stdout.write(
  `${JSON.stringify({ url: notes, token, body, list, create, address: { host, port, user: owner, password, database } })}\n`,
)
// Ends by itself when asked, so that --cpu-prof can write what it saw.
process.once('SIGTERM', () => process.exit(0))
