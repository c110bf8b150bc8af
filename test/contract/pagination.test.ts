import { request } from 'node:http'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { type Answer, linkTo } from '#test/client.ts'
import { w } from '#test/world.ts'

/** A project with that many labels, `label-00001` and on. */
async function withLabels(count: number) {
  const project = await w.project()
  await sql`
    insert into labels (namespace_id, name, color, created_at, updated_at)
    select ${project.namespaceId}, 'label-' || lpad(n::text, 5, '0'), '#ff0000', now(), now()
    from generate_series(1, ${count}::integer) as n`.execute(w.db)
  return project
}

const names = (answer: Answer): string[] => answer.body.map((label: { name: string }) => label.name)

describe('offset pagination', () => {
  test('20 rows by default, with every header', async () => {
    const { id, guest } = await withLabels(45)
    const answer = await guest.get(`/projects/${id}/labels`)
    expect(names(answer)).toHaveLength(20)
    const page = Object.fromEntries(
      ['x-page', 'x-per-page', 'x-next-page', 'x-prev-page', 'x-total', 'x-total-pages'].map((name) => [
        name,
        answer.headers.get(name),
      ]),
    )
    expect(page).toEqual({
      'x-page': '1',
      'x-per-page': '20',
      'x-next-page': '2',
      'x-prev-page': '',
      'x-total': '45',
      'x-total-pages': '3',
    })
    const path = `${w.url}/api/v4/projects/${id}/labels`
    expect(answer.headers.get('link')).toBe(
      `<${path}?page=2&per_page=20>; rel="next", <${path}?page=1&per_page=20>; rel="first", <${path}?page=3&per_page=20>; rel="last"`,
    )
  })

  test('links keep the filters of the request', async () => {
    const { id, guest } = await withLabels(30)
    const answer = await guest.get(`/projects/${id}/labels?search=label&with_counts=true&per_page=10&page=2`)
    const next = new URL(linkTo('next', answer) ?? '')
    expect(Object.fromEntries(next.searchParams)).toEqual({
      search: 'label',
      with_counts: 'true',
      per_page: '10',
      page: '3',
    })
    expect(new URL(linkTo('prev', answer) ?? '').searchParams.get('page')).toBe('1')
    expect(names(await guest.get(next.href))[0]).toBe('label-00021')
  })

  test('more than 100 a page is 100', async () => {
    const { id, guest } = await withLabels(120)
    const answer = await guest.get(`/projects/${id}/labels?per_page=500`)
    expect(names(answer)).toHaveLength(100)
    expect(answer.headers.get('x-per-page')).toBe('100')
  })

  test('a page past the end is empty, with the totals', async () => {
    const { id, guest } = await withLabels(3)
    const answer = await guest.get(`/projects/${id}/labels?page=9`)
    expect(answer.body).toEqual([])
    expect(answer.headers.get('x-total')).toBe('3')
    expect(answer.headers.get('x-next-page')).toBe('')
    expect(linkTo('next', answer)).toBeUndefined()
  })

  test('page 0 and negative pages are page 1', async () => {
    const { id, guest } = await withLabels(3)
    for (const page of ['0', '-1', '-2147483649']) {
      const answer = await guest.get(`/projects/${id}/labels?per_page=2&page=${page}`)
      expect([answer.status, names(answer)]).toEqual([200, ['label-00001', 'label-00002']])
      expect([answer.headers.get('x-page'), answer.headers.get('x-next-page')]).toEqual(['1', '2'])
      expect(linkTo('prev', answer)).toBeUndefined()
    }
  })

  test('beyond the offset limit a short list has an empty page, and a long one says so', async () => {
    const { id, guest, namespaceId } = await withLabels(10_000)
    const path = `/projects/${id}/labels?per_page=100&page=`
    for (const page of [501, 100_000, 2 ** 31]) {
      const sent = await w.statements(async () => {
        const { status, body, headers } = await guest.get(`${path}${page}`)
        expect([status, body, headers.get('x-total')]).toEqual([200, [], '10000'])
      })
      // Nobody looks for rows that far.
      expect(sent.filter((text) => text.includes('offset'))).toEqual([])
    }
    await sql`insert into labels (namespace_id, name, color, created_at, updated_at)
      values (${namespaceId}, 'one more', '#ff0000', now(), now())`.execute(w.db)
    const { status, body } = await guest.get(`${path}501`)
    expect([status, body]).toEqual([
      400,
      {
        message: { page: ['is too large: the pages of this list end at row 50000, filter it to see others'] },
        error: 'page is too large: the pages of this list end at row 50000, filter it to see others',
      },
    ])
    expect((await guest.get(`${path}500`)).status).toBe(200)
  })

  test('a deep page has the same rows in the same order', async () => {
    const { id, guest } = await withLabels(1_000)
    const numbered = (from: number) => `label-${String(from).padStart(5, '0')}`
    const deep = await guest.get(`/projects/${id}/labels?per_page=7&page=101`)
    expect(names(deep)).toEqual([701, 702, 703, 704, 705, 706, 707].map(numbered))
    expect([deep.headers.get('x-total'), deep.headers.get('x-next-page')]).toEqual(['1000', '102'])
    const last = await guest.get(`/projects/${id}/labels?per_page=100&page=10`)
    expect([names(last).at(-1), last.headers.get('x-next-page')]).toEqual([numbered(1000), ''])
  })

  test('no rows: one empty page', async () => {
    const { id, guest } = await w.project()
    const answer = await guest.get(`/projects/${id}/labels`)
    expect(answer.body).toEqual([])
    expect([answer.headers.get('x-total'), answer.headers.get('x-total-pages')]).toEqual(['0', '1'])
  })

  test('beyond 10,000 rows there is no total and no last page', async () => {
    const { id, guest } = await withLabels(10_001)
    const answer = await guest.get(`/projects/${id}/labels?per_page=100`)
    expect(answer.headers.get('x-total')).toBeNull()
    expect(answer.headers.get('x-total-pages')).toBeNull()
    expect(linkTo('last', answer)).toBeUndefined()
    expect(answer.headers.get('x-next-page')).toBe('2')
    const last = await guest.get(`/projects/${id}/labels?per_page=100&page=101`)
    expect(names(last)).toEqual(['label-10001'])
    expect(last.headers.get('x-next-page')).toBe('')
  })

  test('beyond 10,000 rows, a list is not counted again for a while', async () => {
    const { id, guest } = await withLabels(10_001)
    const path = `/projects/${id}/labels`
    const counts = async (query: string) => {
      const sent = await w.statements(async () => {
        const answer = await guest.get(`${path}${query}`)
        expect([answer.status, answer.headers.get('x-total')]).toEqual([200, null])
      })
      return sent.some((text) => text.includes('count('))
    }
    expect(await counts('?per_page=5')).toBe(true)
    expect([await counts('?per_page=5'), await counts('?page=7'), await counts('?per_page=50')]).toEqual([
      false,
      false,
      false,
    ])
    // Another filter makes another list, and so does another caller.
    const few = await guest.get(`${path}?search=label-00001`)
    expect(few.headers.get('x-total')).toBe('1')
    const sent = await w.statements(() => w.root.get(path))
    expect(sent.join()).toContain('count(')
  })

  test('any page size yields every row once and in order', async () => {
    const { id, guest } = await withLabels(57)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 70 }), async (perPage) => {
        const seen: string[] = []
        let next: string | undefined = `/projects/${id}/labels?per_page=${perPage}`
        while (next !== undefined) {
          const answer: Answer = await guest.get(next)
          seen.push(...names(answer))
          next = linkTo('next', answer)
        }
        expect(seen).toEqual(
          Array.from({ length: 57 }, (_, index) => `label-${String(index + 1).padStart(5, '0')}`),
        )
      }),
      { numRuns: 12 },
    )
  })

  test('a page costs two statements, whatever its size', async () => {
    const { id, guest } = await withLabels(120)
    for (const perPage of [1, 20, 100]) {
      expect(await w.statements(() => guest.get(`/projects/${id}/labels?per_page=${perPage}`))).toHaveLength(
        2,
      )
    }
  })

  test('a list without keyset pagination refuses it with 405', async () => {
    const { id, guest } = await w.project()
    const answer = await guest.get(`/projects/${id}/labels?pagination=keyset&order_by=name&sort=asc`)
    expect(answer.status).toBe(405)
    expect(answer.body).toEqual({ error: 'Keyset pagination is not yet available for this type of request' })
  })
})

describe('links behind a proxy', () => {
  const forwarded = {
    'x-forwarded-host': 'forge.example.com',
    'x-forwarded-proto': 'https',
    host: 'internal',
  }

  async function linkFrom(localAddress: string): Promise<string> {
    const { id, guest } = await withLabels(1)
    return new Promise((resolve, reject) => {
      const { port } = new URL(w.url)
      const headers = { 'private-token': guest.token, ...forwarded }
      request({ port, path: `/api/v4/projects/${id}/labels`, localAddress, headers }, (answer) => {
        answer.resume()
        resolve(String(answer.headers.link))
      })
        .on('error', reject)
        .end()
    })
  }

  test('use the forwarded host and protocol of a trusted proxy', async () => {
    expect(await linkFrom('127.0.0.9')).toContain('<https://forge.example.com/api/v4/projects/')
  })

  test('use the host of the request when the sender is not trusted', async () => {
    expect(await linkFrom('127.0.0.1')).toContain('<http://internal/api/v4/projects/')
  })
})
