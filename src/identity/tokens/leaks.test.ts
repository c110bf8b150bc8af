import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '#test/client.ts'
import { openWorld, type World } from '#test/world.ts'

// A server of its own that logs all it can, so that everything it ever wrote can be searched.

const lines: string[] = []
const answers: Answer[] = []
let w: World
beforeAll(async () => {
  w = await openWorld(pino({ level: 'trace' }, { write: (line) => void lines.push(line) }))
})
afterAll(() => w.running.stop())

/** Every table with every column, as text; bytes are in hexadecimal there. */
async function tablesWith(needles: readonly string[]): Promise<string[]> {
  const { rows: tables } = await sql<{ schema: string; name: string }>`
    select table_schema as schema, table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`.execute(
    w.db,
  )
  expect(tables.length).toBeGreaterThan(20)
  const found: string[] = []
  for (const { schema, name } of tables) {
    const { rows } = await sql`select 1 from ${sql.table(`${schema}.${name}`)} as one
      where exists (select 1 from unnest(${[...needles]}::text[]) as needle where strpos(one::text, needle) > 0)
      limit 1`.execute(w.db)
    if (rows.length > 0) found.push(`${schema}.${name}`)
  }
  return found
}

const hex = (text: string) => Buffer.from(text).toString('hex')
const base64 = (text: string) => Buffer.from(text).toString('base64')

test('the secrets of tokens are in no log, metric, error or table', async () => {
  const { id, groupId, owner, guest } = await w.project()
  await w.member(groupId, owner, 50)
  const project = `/projects/${id}/access_tokens`
  const secrets: string[] = []
  const asked = { name: 'robot', scopes: ['api'], access_level: 30 }
  const keep = async (answer: Promise<Answer>) => {
    const { status, body } = await answer
    expect([200, 201]).toContain(status)
    secrets.push(body.token)
    return body as { id: number; token: string }
  }
  const refused = async (answer: Promise<Answer>, status: number) => {
    answers.push(await answer)
    expect(answers.at(-1)?.status).toBe(status)
  }
  const by = (secret: string) => w.anonymous.with({ 'private-token': secret })

  const first = await keep(owner.post(project, asked))
  const second = await keep(owner.post(`${project}/${first.id}/rotate`))
  const third = await keep(by(second.token).post(`${project}/self/rotate`))
  const other = await keep(owner.post(`/groups/${groupId}/access_tokens`, asked))
  const personal = await keep(w.root.post(`/users/${guest.id}/personal_access_tokens`, asked))
  const acting = await keep(w.root.post(`/users/${guest.id}/impersonation_tokens`, asked))
  const narrow = await keep(
    guest.post('/user/personal_access_tokens', { name: 'x', scopes: ['self_rotate'] }),
  )

  const deploying = await keep(
    owner.post(`/projects/${id}/deploy_tokens`, { name: 'x', scopes: ['read_repository'] }),
  )
  await refused(w.anonymous.get('/version', { headers: { 'deploy-token': deploying.token } }), 401)

  // Used in every way there is, rightly and wrongly.
  for (const secret of [third.token, other.token, personal.token, acting.token]) {
    for (const headers of [
      { 'private-token': secret },
      { authorization: `Bearer ${secret}` },
      { authorization: `Basic ${base64(`user:${secret}`)}` },
    ])
      expect((await w.anonymous.get('/version', { headers })).status).toBe(200)
    expect((await w.anonymous.get(`/version?private_token=${secret}`)).status).toBe(200)
    expect((await w.anonymous.get(`/version?access%5Ftoken=${secret}`)).status).toBe(200)
    const sent = { private_token: secret, name: '', color: 'red' }
    await refused(w.anonymous.post(`/projects/${id}/labels`, sent), 400)
    await refused(w.anonymous.get(`/projects/999999999?private_token=${secret}`), 404)
    await refused(w.anonymous.get(`/no/such/route?private_token=${secret}`), 404)
    await refused(by(secret).get('/users?sudo=root&per_page=x'), 403)
    await refused(
      by(secret).post(`/projects/${id}/labels`, undefined, {
        form: '{"broken',
        headers: { 'content-type': 'application/json' },
      }),
      400,
    )
  }
  await refused(by(narrow.token).get('/personal_access_tokens'), 403)
  await refused(by(second.token).get(`/version`), 401)
  await refused(by(first.token).post(`${project}/self/rotate`), 401)
  await refused(by(third.token).get('/version'), 401)
  await refused(w.anonymous.get('/version', { headers: { authorization: `Token ${third.token}` } }), 401)
  const session = await w.session(owner)
  secrets.push(session.secret)
  expect((await session.reader.get('/version')).status).toBe(200)
  await refused(session.reader.post(`/projects/${id}/labels`, { name: 'x' }), 401)
  await owner.delete(`/groups/${groupId}/access_tokens/${other.id}`)
  await w.running.services.lastUsed.flush()

  expect(secrets).toHaveLength(9)
  expect(new Set(secrets).size).toBe(9)
  const secretParts = secrets.map((secret) => secret.replace(/^(?:glpat|gldt)-/, ''))
  const needles = secretParts.flatMap((secret) => [secret, hex(secret)])
  const metrics = await (await fetch(`${w.url}/-/metrics`)).text()
  expect(metrics).toContain('http_request')
  expect(lines.length).toBeGreaterThan(50)
  for (const needle of needles) {
    expect(lines.filter((line) => line.includes(needle))).toEqual([])
    expect(metrics).not.toContain(needle)
    expect(answers.filter(({ text }) => text.includes(needle))).toEqual([])
  }
  expect(await tablesWith(needles)).toEqual([])
  // The search would find them: a name that was stored, and the digest beside it.
  expect(await tablesWith(['robot'])).toContain('public.access_tokens')
}, 180_000)
