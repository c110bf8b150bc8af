import { sql } from 'kysely'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '#server-options.ts'
import { Client } from '#test/client.ts'
import { until } from '#test/until.ts'
import { openWorld, type World } from '#test/world.ts'

// What exists for speed alone (src/platform/db/fast) uses what `pg` does not promise to keep. Two servers on one
// database, one with it and one without, give the same answers.

let w: World
let plain: RunningServer
beforeAll(async () => {
  w = await openWorld()
  plain = await w.another(undefined, { FORGELET_PLAIN_PG: '1' })
})
afterAll(async () => {
  await plain.stop()
  await w.running.stop()
})

/** A project with three issues and two notes on the first, and its developer on both servers. */
async function surroundings() {
  const p = await w.project()
  const { token } = p.developer
  const [fast, plainly] = [w.url, plain.url].map((url) => new Client(url, { 'private-token': token }))
  if (fast === undefined || plainly === undefined) throw new Error('There are two servers')
  const at = `/projects/${p.id}`
  for (const title of ['one', 'two', 'three']) await fast.post(`${at}/issues`, { title, labels: 'a,b' })
  for (const body of ['first', 'second']) await fast.post(`${at}/issues/1/notes`, { body })
  return { at, p, both: [fast, plainly] as const }
}

/** The answers to a request, without what names the server. */
async function answersOf(both: readonly Client[], path: string) {
  const answers = await Promise.all(both.map((client) => client.get(path)))
  return answers.map(({ status, body, headers }, n) => ({
    status,
    total: headers.get('x-total'),
    body: JSON.parse(JSON.stringify(body).replaceAll(new URL(n === 0 ? w.url : plain.url).host, '')),
  }))
}

/** The pools of the server without it. */
const pools = (): Pool[] => {
  const { writes, reads, plannedOnce } = plain.services.connections
  return [writes.pool, reads.pool, plannedOnce.pool]
}

describe('without what exists for speed alone', () => {
  test('reads are answered the same, each of them twice', async () => {
    const { at, p, both } = await surroundings()
    const paths = [
      '/user',
      at,
      '/projects?membership=true&order_by=name',
      '/projects?membership=true&page=2&per_page=1',
      '/groups',
      `/groups/${p.groupId}`,
      `/groups/${p.groupId}/issues`,
      `${at}/issues`,
      `${at}/issues?labels=a&order_by=updated_at`,
      `${at}/issues?per_page=1&pagination=keyset`,
      `${at}/issues/1`,
      `${at}/issues/1/notes`,
      `${at}/issues/1/notes?per_page=1&page=2`,
      `${at}/issues/1/discussions`,
      `${at}/merge_requests`,
      `${at}/labels`,
      `${at}/members/all`,
      `${at}/events`,
      '/todos',
    ]
    // Jobs may write between the two.
    for (const path of [...paths, ...paths])
      await until(async () => {
        const [fast, plainly] = await answersOf(both, path)
        expect([path, fast?.status]).toEqual([path, 200])
        expect([path, plainly]).toEqual([path, fast])
      })
  })

  test('so are requests that are refused', async () => {
    const { at, both } = await surroundings()
    const paths = [
      `${at}/issues/99`,
      `${at}/issues/1/notes/99`,
      `${at}/issues?per_page=x`,
      '/projects/9999999',
      '/nothing',
      `/projects?id_after=${'9'.repeat(30)}`,
    ]
    for (const path of paths) {
      const [fast, plainly] = await answersOf(both, path)
      expect(fast?.status).toBeGreaterThanOrEqual(400)
      expect([path, plainly]).toEqual([path, fast])
    }
  })

  test('writes are done, in transactions whose statements follow each other', async () => {
    const { at, both } = await surroundings()
    const [fast, plainly] = both
    const note = await plainly.post(`${at}/issues/2/notes`, { body: 'a note\n/label ~b\n/assign me' })
    expect(note.status).toBe(201)
    const change = await plainly.put(`${at}/issues/2`, { title: 'changed', add_labels: 'd' })
    expect([change.status, change.body.labels]).toEqual([200, ['a', 'b', 'd']])
    const taken = await plainly.post(`${at}/labels`, { name: 'd', color: 'red' })
    expect(taken.status).toBe(409)
    expect((await plainly.delete(`${at}/issues/2/notes/${note.body.id}`)).status).toBe(204)
    expect((await fast.get(`${at}/issues/2`)).body).toMatchObject({ title: 'changed', user_notes_count: 0 })
    const many = Array.from({ length: 30 }, (_, n) =>
      plainly.post(`${at}/issues/3/notes`, { body: `note ${n}` }),
    )
    expect((await Promise.all(many)).map(({ status }) => status)).toEqual(many.map(() => 201))
    expect((await fast.get(`${at}/issues/3`)).body.user_notes_count).toBe(30)
  })

  test('a transaction that is refused in the middle leaves its connection usable', async () => {
    const { at, both } = await surroundings()
    const [, plainly] = both
    for (const _ of [1, 2, 3]) {
      expect((await plainly.post(`${at}/labels`, { name: 'a', color: 'red' })).status).toBe(409)
      expect((await plainly.post(`${at}/issues/1/notes`, { body: '' })).status).toBe(400)
      expect((await plainly.post(`${at}/issues/1/notes`, { body: 'fine' })).status).toBe(201)
    }
    for (const pool of pools()) expect(pool.waitingCount).toBe(0)
  })

  test('statements that PostgreSQL keeps survive a migration that changes what they read', async () => {
    const { at, both } = await surroundings()
    const paths = [`${at}/issues`, `${at}/issues/1`, `${at}/issues/1/notes`, '/user']
    for (const path of paths) await answersOf(both, path)
    await sql`alter table notes add column later integer default 1`.execute(w.db)
    // Statements that PostgreSQL keeps may not change the types of their columns.
    await sql`alter table users alter column name type varchar(300)`.execute(w.db)
    for (const path of [...paths, ...paths]) {
      const [fast, plainly] = await answersOf(both, path)
      expect([path, fast?.status]).toEqual([path, 200])
      expect(plainly).toEqual(fast)
    }
    expect((await both[1].post(`${at}/issues/1/notes`, { body: 'after it' })).status).toBe(201)
    await sql`alter table notes drop column later`.execute(w.db)
  })

  test('plans that PostgreSQL has thrown away are made anew', async () => {
    const { at, both } = await surroundings()
    await answersOf(both, `${at}/issues/1/notes`)
    for (const pool of pools()) {
      const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
      for (const client of clients) await client.query('discard plans')
      for (const client of clients) client.release()
    }
    const [fast, plainly] = await answersOf(both, `${at}/issues/1/notes`)
    expect(plainly).toEqual(fast)
    expect(fast?.status).toBe(200)
  })

  test('connections that PostgreSQL ends are replaced', async () => {
    const { at, both } = await surroundings()
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'idle'
        and application_name like 'forgelet%reads'`.execute(w.db)
    await expect
      .poll(async () => (await answersOf(both, `${at}/issues`)).map(({ status }) => status))
      .toEqual([200, 200])
  })
})
