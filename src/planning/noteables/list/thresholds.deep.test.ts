import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertIssues } from '#test/issues.ts'
import { rowsRead, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// The list planner chooses by what it finds, and each choice has a threshold: these tests stand on both sides of each.

let own: World
const projects = new Map<number, Awaited<ReturnType<World['project']>>>()

/** Up to so many issues, all are asked; up to so many, all are asked for words that two of a hundred have. */
const SAMPLE = 500
const SMALL = 5_000
const SIZES = [SAMPLE, SAMPLE + 1, SMALL, SMALL + 1] as const

/** Each project has words that so many of a thousand issues have. */
const SHARES = { never: 0, rarely: 10, sometimes: 100, usually: 600 } as const

beforeAll(async () => {
  own = await openWorld()
  for (const size of SIZES) {
    const project = await own.project()
    projects.set(size, project)
    const words = Object.entries(SHARES).map(
      ([word, share]) => sql`case when n * 7 % 1000 < ${share}::integer then ${` ${word}`} else '' end`,
    )
    await insertIssues(
      own.db,
      sql`insert into issues (project_id, iid, title, author_id, created_at, updated_at)
        select ${project.id}::bigint, n, 'Issue ' || md5(n::text) || ${sql.join(words, sql` || `)}, 1,
          now() - n * interval '1 minute', now() from generate_series(1, ${size}::integer) as n`,
    )
  }
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

async function search(size: number, word: string) {
  const project = projects.get(size)
  if (project === undefined) throw new Error(`There is no project of ${size} issues`)
  const path = `/projects/${project.id}/issues?search=${word}&per_page=100`
  let total = ''
  const read = await rowsRead(own, ['issue_search'], 'for the values', async () => {
    const answer = await project.developer.get(path)
    expect(answer.status).toBe(200)
    total = answer.headers.get('x-total') ?? ''
    for (const { title } of answer.body) expect(title).toContain(word)
  })
  return { total: Number(total), read }
}

/** How many of the first `size` issues have a word. */
const having = (size: number, share: number) =>
  Array.from({ length: size }, (_, index) => ((index + 1) * 7) % 1_000).filter((rest) => rest < share).length

/** What is read: the sample, and either the words of all issues of the project, or those of the issues that the index finds. */
const everyIssue = (size: number) => size + SAMPLE
const byIndex = (share: number) =>
  SAMPLE + SIZES.reduce((sum, size) => sum + having(size, share), 0) + SAMPLE * 0.1

describe('a search in a project', () => {
  test.each(SIZES)('of %i issues finds what has the word', async (size) => {
    for (const [word, share] of Object.entries(SHARES)) {
      expect({ word, total: (await search(size, word)).total }).toEqual({ word, total: having(size, share) })
    }
  })

  test('asks all issues where there are no more than a sample', async () => {
    const { read } = await search(SAMPLE, 'rarely')
    expect(read).toBeGreaterThanOrEqual(SAMPLE * 2)
    expect(read).toBeLessThanOrEqual(everyIssue(SAMPLE))
    // One more, and the index of the words leads to them.
    expect((await search(SAMPLE + 1, 'rarely')).read).toBeLessThanOrEqual(byIndex(SHARES.rarely))
  })

  test.each([SAMPLE + 1, SMALL])('of %i asks the index for words that few have', async (size) => {
    for (const word of ['never', 'rarely'] as const) {
      expect((await search(size, word)).read).toBeLessThanOrEqual(byIndex(SHARES[word]))
    }
  })

  test.each([SAMPLE + 1, SMALL])(
    'of %i asks all issues for words that more than a few have',
    async (size) => {
      for (const word of ['sometimes', 'usually'] as const) {
        const { read } = await search(size, word)
        expect(read).toBeGreaterThanOrEqual(size)
        expect(read).toBeLessThanOrEqual(everyIssue(size))
      }
    },
  )

  test('of more issues asks all of them only for words that nearly half have', async () => {
    expect((await search(SMALL + 1, 'sometimes')).read).toBeLessThanOrEqual(byIndex(SHARES.sometimes))
    const { read } = await search(SMALL + 1, 'usually')
    expect(read).toBeGreaterThanOrEqual(SMALL)
    expect(read).toBeLessThanOrEqual(everyIssue(SMALL + 1))
  })
})

describe('a list of all issues', () => {
  const read = (per_page: number, by = own.root) =>
    rowsRead(own, ['issues'], 'for the values', async () => {
      const answer = await by.get(`/issues?scope=all&per_page=${per_page}&labels=None`)
      expect(answer.status).toBe(200)
    })

  test('finds its first page among the first issues of all, for whoever sees many', async () => {
    expect(await read(20)).toBeGreaterThan(0)
    const seen = await own.root.get('/issues?scope=all&per_page=100')
    const ids: number[] = seen.body.map(({ id }: { id: number }) => id)
    const { rows } = await sql<{
      id: number
    }>`select id from issues order by created_at desc, id desc limit 100`.execute(own.db)
    expect(ids).toEqual(rows.map(({ id }) => id))
  })

  test('finds the same pages for whoever sees few of them', async () => {
    const project = await own.project()
    const old = await project.developer.post(`/projects/${project.id}/issues`, {
      title: 'Old',
      created_at: '2020-01-01T00:00:00Z',
    })
    expect(old.status).toBe(201)
    const { body } = await project.developer.get('/issues?scope=all')
    expect(body.map(({ title }: { title: string }) => title)).toEqual(['Old'])
  })

  test('goes on where the first issues of all do not fill the page', async () => {
    const { developer } = projects.get(SAMPLE) ?? {}
    if (developer === undefined) throw new Error('There is no developer')
    for (const page of [1, 2, 3, 5]) {
      const answer = await developer.get(`/issues?scope=all&per_page=100&page=${page}`)
      expect(answer.body).toHaveLength(100)
      expect(answer.headers.get('x-total')).toBe(String(SAMPLE))
    }
  })
})
