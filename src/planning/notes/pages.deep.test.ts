import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { linkTo } from '#test/client.ts'
import { roundTrips } from '#test/round-trips.ts'
import { w } from '#test/world.ts'
import { bodies, ids, withIssue } from './test-support.ts'

/** An issue with that many notes by one of the guests; several of each second. */
async function withNotes(count: number) {
  const p = await withIssue()
  await sql`
    insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, created_at, updated_at)
    select ${p.issue.id}::bigint, ${p.guest.id}::bigint, n::text, sha224(n::text::bytea), true,
      timestamptz '2026-01-01' + n / 3 * interval '1 second', timestamptz '2026-02-01' - n * interval '1 second'
    from generate_series(1, ${count}::integer) as n`.execute(w.db)
  return p
}

describe('GET /projects/:id/issues/:issue_iid/notes', () => {
  test('paging through ten thousand notes by Link sees each once', { timeout: 180_000 }, async () => {
    const p = await withNotes(10_000)
    const seen = new Set<number>()
    let url: string | undefined = `${p.path}?per_page=100`
    let pages = 0
    while (url !== undefined) {
      const answer = await p.guest.get(url)
      for (const id of ids(answer)) {
        expect(seen.has(id)).toBe(false)
        seen.add(id)
      }
      expect(answer.headers.get('x-total')).toBe('10000')
      pages += 1
      url = linkTo('next', answer)
    }
    expect([seen.size, pages]).toEqual([10_000, 100])
  })

  test('past ten thousand there are no totals and no last page', async () => {
    const p = await withNotes(10_001)
    const { headers } = await p.guest.get(p.path)
    expect([headers.get('x-total'), headers.get('x-total-pages'), headers.get('x-next-page')]).toEqual([
      null,
      null,
      '2',
    ])
    expect(headers.get('link')).not.toContain('rel="last"')
  })

  test('pages by offset with totals', async () => {
    const p = await withNotes(45)
    const answer = await p.guest.get(`${p.path}?page=3`)
    expect(bodies(answer)).toEqual(['5', '4', '3', '2', '1'])
    const names = ['x-page', 'x-per-page', 'x-prev-page', 'x-next-page', 'x-total', 'x-total-pages']
    expect(names.map((name) => answer.headers.get(name))).toEqual(['3', '20', '2', '', '45', '3'])
  })

  test('orders by created_at, the newest first, or as asked; the id decides among equals', async () => {
    const p = await withNotes(5)
    const list = async (query: string) => bodies(await p.guest.get(`${p.path}${query}`)).join('')
    expect(await list('')).toBe('54321')
    expect(await list('?sort=asc')).toBe('12345')
    expect(await list('?order_by=updated_at')).toBe('12345')
    expect(await list('?order_by=updated_at&sort=asc')).toBe('54321')
    expect(await list('?order_by=created_at&sort=desc')).toBe('54321')
    for (const wrong of ['?order_by=id', '?sort=up'])
      expect((await p.guest.get(`${p.path}${wrong}`)).status).toBe(400)
    expect((await p.guest.get(`${p.path}?pagination=keyset`)).status).toBe(405)
  })

  test('costs two statements, whatever the page; one note costs two, too', async () => {
    const p = await withNotes(60)
    const [id] = ids(await p.guest.get(p.path))
    expect(await w.statements(() => p.guest.get(p.path))).toHaveLength(2)
    expect(await w.statements(() => p.guest.get(`${p.path}?per_page=50&page=2`))).toHaveLength(2)
    expect(await w.statements(() => p.guest.get(`${p.path}/${id}`))).toHaveLength(2)
    expect(await w.statements(() => p.guest.get(p.discussions))).toHaveLength(3)
  })

  test('a new note takes four round trips to the database, and a list two', async () => {
    const p = await withNotes(1)
    const { writes, reads, plannedOnce } = w.running.services.connections
    const pools = [writes.pool, reads.pool, plannedOnce.pool]
    const write = () => p.guest.post(p.path, { body: 'Some words' })
    await write()
    expect(await roundTrips(pools, write)).toBe(4)
    expect(await roundTrips(pools, () => p.guest.get(p.path))).toBe(2)
  })

  test('the page and the total are read from indexes of the issue', async () => {
    const p = await withNotes(300)
    await sql`analyze notes`.execute(w.db)
    const statements = await w.statements(() => p.guest.get(p.path))
    const rows = statements.find((text) => text.includes('total_count'))
    const plan = await planOf(rows ?? '', p.issue.id)
    expect(plan).toContain('Index Scan Backward using notes_noteable_created_at')
    expect(plan).not.toContain('Sort')
    expect(plan).not.toContain('Seq Scan on notes')
  })
})

/** The plan of a statement whose placeholders are the issue's id or the viewer's, whichever. */
async function planOf(statement: string, id: number): Promise<string> {
  const { rows } = await w.running.services.pool.query<{ 'QUERY PLAN': string }>(
    `explain ${statement.replaceAll(/\$\d+/g, String(id))}`,
  )
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

describe('what system notes name', () => {
  test.each(['guest', 'developer', 'admin', 'stranger'] as const)(
    'makes no long text for %s that is planned at each request',
    async (who) => {
      const p = await withIssue({ visibility: 'public' })
      const another = { title: 'Another', description: `See #${p.issue.iid}` }
      await p.developer.post(`/projects/${p.id}/issues`, another)
      for (const path of ['notes', 'discussions', 'participants', 'resource_state_events']) {
        const read = async () => {
          const { status } = await p[who].get(`${p.issuePath}/${path}`)
          expect(status).toBe(200)
        }
        const sent = await w.sent(read)
        // The roles of the caller are looked up once for all kinds of things that may be named.
        const long = sent.filter(({ sql: text }) => text.length > 1_000)
        expect(long.map(({ plan }) => plan)).toEqual(long.map(() => 'generic'))
        expect(Math.max(...sent.map(({ sql: text }) => text.length))).toBeLessThan(20_000)
        expect(await w.statements(read)).toEqual(sent.map(({ sql: text }) => text))
      }
    },
  )
})
