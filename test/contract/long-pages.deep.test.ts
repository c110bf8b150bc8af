import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Actor, unique, w } from '#test/world.ts'
import { MeasuredServer } from '#test/measured-server.ts'

// Pages of notes, discussions, issues and milestones whose texts are as long as they may be.

const MB = 1_000_000
const SHORTER = 100_000

let p: Awaited<ReturnType<typeof w.project>>
let guest: Actor
let issue: { id: number; iid: number }
let server: MeasuredServer

beforeAll(async () => {
  p = await w.project()
  guest = p.reporter
  issue = (await guest.post(`/projects/${p.id}/issues`, { title: 'Long' })).body
  // A hundred discussions of one note, and one of a hundred.
  await sql`
    insert into notes (noteable_id, author_id, body, type, discussion_id, starts_discussion, created_at, updated_at)
    select ${issue.id}::bigint, ${guest.id}::bigint, rpad(n || ' ', case when n <= 100 then ${MB} else ${SHORTER} end::integer, 'text "quoted" '),
      case when n > 100 then 'DiscussionNote' end::note_type,
      substring(sha224((${unique('discussion')} || least(n, 101))::bytea) for 20), n <= 101, now() + n * interval '1 second', now()
    from generate_series(1, 200) as n`.execute(w.db)
  server = await MeasuredServer.start(w)
})
afterAll(() => server[Symbol.asyncDispose]())

/** Asks and reads nothing yet. */
async function ask(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { 'private-token': guest.token }
    const req = request(`${server.url}/api/v4/projects/${p.id}${path}`, { headers, agent: false }, resolve)
    req.on('error', reject).end()
  })
}

/** Reads an answer in small bites, with a pause after some of them. */
async function read(answer: IncomingMessage, wait = 0): Promise<string> {
  let bites = 0
  const parts: Buffer[] = []
  for await (const part of answer) {
    parts.push(Buffer.from(part))
    bites += 1
    if (wait > 0 && bites % 50 === 0) await pause(wait)
  }
  return Buffer.concat(parts).toString()
}

/** The oldest hundred are the long ones. */
const notes = (size = 100) => `/issues/${issue.iid}/notes?per_page=${size}&sort=asc`

describe('a page of a hundred notes of a megabyte', () => {
  test('fills no memory and holds no connection, however slowly several clients read', async () => {
    // The first one pays for what stays: compiled code, buffers.
    await read(await ask(notes(10)))
    const before = await server.measure('collected')
    const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => ask(notes())))
    await Promise.all(
      answers.map((answer) => new Promise((resolve) => answer.once('readable', () => resolve(null)))),
    )
    // All of them have begun to read and wait: a request that held a connection would hold it now.
    await expect.poll(() => server.measure().then(({ idle, connections }) => connections - idle)).toBe(0)
    expect((await guest.get(`/projects/${p.id}`)).status).toBe(200)
    const [first, ...rest] = answers
    if (first === undefined) throw new Error('Eight clients asked')
    let most = 0
    const watching = setInterval(() => {
      void server.measure().then(({ rss }) => (most = Math.max(most, rss)))
    }, 20)
    const rows = JSON.parse(await read(first, 5))
    clearInterval(watching)
    for (const answer of rest) answer.destroy()
    expect(rows).toHaveLength(100)
    expect(new Set(rows.map(({ id }: { id: number }) => id)).size).toBe(100)
    expect(rows.every(({ body }: { body: string }) => body.length === MB)).toBe(true)
    // Eight pages of 100 MB at once.
    expect(most - before.rss).toBeLessThan(300 * MB)
    await expect
      .poll(async () => {
        const { idle, connections } = await server.measure('collected')
        return connections - idle
      })
      .toBe(0)
  }, 180_000)

  test('ends, and stays JSON, when its reader may not see the issue any more', async () => {
    const place = await w.project({ visibility: 'public' })
    const { body: open } = await place.owner.post(`/projects/${place.id}/issues`, { title: 'Long' })
    await sql`
      insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, created_at, updated_at)
      select ${open.id}::bigint, ${place.owner.id}::bigint, rpad('', ${MB}::integer, 'text '),
        substring(sha224((${unique('discussion')} || n)::bytea) for 20), true, now(), now()
      from generate_series(1, 60) as n`.execute(w.db)
    for (const list of ['notes', 'discussions']) {
      const path = `${server.url}/api/v4/projects/${place.id}/issues/${open.iid}/${list}?per_page=100`
      await place.owner.put(`/projects/${place.id}/issues/${open.iid}`, { confidential: false })
      const answer = await fetch(path, { headers: { 'private-token': place.stranger.token } })
      const { status } = await place.owner.put(`/projects/${place.id}/issues/${open.iid}`, {
        confidential: true,
      })
      expect(status).toBe(200)
      const read = await answer.json()
      expect(Array.isArray(read) && read.length).toBeLessThan(40)
    }
  })

  test('has the headers of every page, but no entity tag', async () => {
    const answer = await ask(notes())
    answer.destroy()
    const { headers } = answer
    expect(headers['content-type']).toBe('application/json')
    expect([headers['x-total'], headers['x-next-page'], headers['x-per-page']]).toEqual(['200', '2', '100'])
    expect(headers['etag']).toBeUndefined()
    const head = await guest.head(`/projects/${p.id}${notes()}`)
    expect([head.status, head.text]).toEqual([200, ''])
  })
})

describe('long texts elsewhere', () => {
  test('a page of long discussions, and one discussion of a hundred notes', async () => {
    const discussions = `/issues/${issue.iid}/discussions`
    const last = JSON.parse(await read(await ask(`${discussions}?per_page=1&page=101`)))
    expect(last).toHaveLength(1)
    const [{ id, individual_note, notes: replies }] = last
    expect([individual_note, replies.length]).toEqual([false, 100])
    expect(replies.every(({ body }: { body: string }) => body.length === SHORTER)).toBe(true)
    const several = JSON.parse(await read(await ask(`${discussions}?per_page=10&page=10`)))
    expect(several.map((one: { notes: unknown[] }) => one.notes.length)).toEqual(Array(10).fill(1))
    expect(several.every((one: { individual_note: boolean }) => one.individual_note)).toBe(true)
    const one = JSON.parse(await read(await ask(`${discussions}/${id}`)))
    expect(JSON.stringify(one) === JSON.stringify(last[0])).toBe(true)
    expect((await read(await ask(`${discussions}/${id}/notes`))) === JSON.stringify(replies)).toBe(true)
  }, 180_000)

  test('issues with long descriptions and milestones, and the milestones', async () => {
    const here = await w.project()
    const long = 'm'.repeat(MB)
    const milestones = `/projects/${here.id}/milestones`
    const made = await Promise.all(
      [1, 2, 3].map((n) => here.owner.post(milestones, { title: `m${n}`, description: long })),
    )
    const milestone_id = made[0]?.body.id
    const issues = `/projects/${here.id}/issues`
    for (const title of ['one', 'two', 'three']) {
      const given = { title, description: title + 'x'.repeat(MB), milestone_id, labels: 'bug' }
      expect((await here.owner.post(issues, given)).status).toBe(201)
    }
    expect((await here.owner.post(issues, { title: 'short' })).status).toBe(201)
    for (const path of [issues, `${issues}?order_by=priority`, `${milestones}/${milestone_id}/issues`]) {
      const { body, headers } = await here.reporter.get(path)
      expect(headers.get('etag')).toBeNull()
      const found = body.filter(({ title }: { title: string }) => title !== 'short')
      expect(found).toHaveLength(3)
      for (const { title, description, milestone, labels } of found) {
        expect(description === title + 'x'.repeat(MB)).toBe(true)
        expect(milestone.description === long).toBe(true)
        expect(labels).toEqual(['bug'])
      }
    }
    const { body } = await here.reporter.get(milestones)
    expect(body.map(({ description }: { description: string }) => description.length)).toEqual([MB, MB, MB])
    const { iid } = (await here.reporter.get(`${issues}?search=one`)).body[0]
    const events = await here.reporter.get(`${issues}/${iid}/resource_milestone_events`)
    expect(events.body[0].milestone.description === long).toBe(true)
  })

  test('a few long texts are fetched in one statement more, and are known by their entity tag', async () => {
    const here = await w.project()
    const { body } = await here.owner.post(`/projects/${here.id}/issues`, { title: 'x' })
    const path = `/projects/${here.id}/issues/${body.iid}/notes`
    const texts = ['short', 'y'.repeat(500_000), 'z'.repeat(52_000)]
    for (const text of texts) await here.owner.post(path, { body: text })
    let answer = await here.reporter.get(path)
    expect(await w.statements(() => here.reporter.get(path))).toHaveLength(3)
    expect(answer.body.map((note: { body: string }) => note.body)).toEqual(texts.toReversed())
    const etag = answer.headers.get('etag') ?? ''
    answer = await here.reporter.get(path, { headers: { 'if-none-match': etag } })
    expect(answer.status).toBe(304)
  })

  test('more notes than are read at once are in their order', async () => {
    const here = await w.project()
    const { body } = await here.owner.post(`/projects/${here.id}/issues`, { title: 'x' })
    // Three discussions of 600 notes each, some of the same moment.
    await sql`
      insert into notes (noteable_id, author_id, body, type, discussion_id, starts_discussion, created_at, updated_at)
      select ${body.id}::bigint, ${here.owner.id}::bigint, n::text, 'DiscussionNote',
        substring(sha224((${unique('discussion')} || n % 3)::bytea) for 20), n < 3, now() + (n / 7) * interval '1 second', now()
      from generate_series(0, 1799) as n`.execute(w.db)
    const discussions = `/projects/${here.id}/issues/${body.iid}/discussions`
    const { body: found } = await here.reporter.get(discussions)
    const numbers = (rows: { body: string }[]) => rows.map((note) => Number(note.body))
    const expected = (rest: number) => Array.from({ length: 600 }, (_, n) => n * 3 + rest)
    expect(found.map((one: { notes: { body: string }[] }) => numbers(one.notes))).toEqual(
      [0, 1, 2].map(expected),
    )
    const { body: one } = await here.reporter.get(`${discussions}/${found[1].id}`)
    expect(JSON.stringify(one) === JSON.stringify(found[1])).toBe(true)
    const { body: alone } = await here.reporter.get(`${discussions}/${found[2].id}/notes`)
    expect(numbers(alone)).toEqual(expected(2))
  })
})
