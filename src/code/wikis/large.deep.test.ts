import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import { concerning, plansOf, vacuum } from '#test/plans.ts'
import { expectQuick } from '#test/quick.ts'
import { openWorld, type World } from '#test/world.ts'
import { fillWiki } from './test-support.ts'

// A wiki of many pages, among the pages of many others.

const PAGES = 5_000
const OTHERS = 30_000
/** Milliseconds that the list may take. */
const LONGEST = 1_000

let own: World
let p: Awaited<ReturnType<World['project']>>
let slug = ''

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  await fillWiki(own, p.id, PAGES)
  await sql`
    with page as (
      insert into wiki_pages (namespace_id, slug, created_at)
      select ${p.groupId}::bigint, 'other-' || n, now() from generate_series(1, ${OTHERS}::integer) as n returning id
    ), noteable as ${insertNoteables('page', { kind: 'group_wiki_page', namespaceId: p.groupId, updatedAt: '2026-01-01' })}
    select`.execute(own.db)
  await vacuum(own)
  slug = 'folder-7/page-57'
}, 180_000)
afterAll(() => own.running.stop())

/** The git processes that a request starts. One whose output is read in part alone ends after the answer. */
async function processesOf(work: () => Promise<unknown>): Promise<string[]> {
  const { git } = own.running.services.repositories
  const { onProcess } = git
  const ended: string[] = []
  const allEnded = async () => {
    await expect.poll(() => git.usage().every(({ running }) => running === 0)).toBe(true)
  }
  await allEnded()
  git.onProcess = (command) => ended.push(command)
  try {
    await work()
    await allEnded()
  } finally {
    git.onProcess = onProcess
  }
  return ended
}

describe(`a wiki of ${PAGES} pages`, () => {
  test('is listed with one process and few statements, with an id for each page', async () => {
    const list = () => p.guest.get(`/projects/${p.id}/wikis`)
    const { body } = await list()
    const ids = new Set(body.map((page: { wiki_page_meta_id: number }) => page.wiki_page_meta_id))
    expect([body.length, ids.size, ids.has(null)]).toEqual([PAGES, PAGES, false])
    expect(await processesOf(list)).toEqual(['ls-tree'])
    expect((await own.statements(list)).length).toBeLessThanOrEqual(3)
    const shortest = await expectQuick(list, LONGEST)
    console.log(`list of ${PAGES} pages: ${shortest.toFixed(0)} ms`)
  })

  test('is listed in parts, each by one process and then by none', async () => {
    const part = `/projects/${p.id}/wikis?page=3&per_page=50`
    const all = (await p.guest.get(`/projects/${p.id}/wikis`)).body
    const answers: { readonly body: unknown }[] = []
    const ask = async () => answers.push(await p.guest.get(part))
    expect([await processesOf(ask), await processesOf(ask)]).toEqual([['ls-tree'], []])
    expect(answers.map(({ body }) => body)).toEqual([all.slice(100, 150), all.slice(100, 150)])
    const last = await p.guest.get(`/projects/${p.id}/wikis?page=${PAGES / 100}&per_page=100`)
    expect(last.body).toEqual(all.slice(-100))
    expect(last.headers.get('x-next-page')).toBe('')
  })

  test('is listed with the content of all pages', async () => {
    const { body } = await p.guest.get(`/projects/${p.id}/wikis?with_content=true`)
    expect(body).toHaveLength(PAGES)
    expect(body.find((page: { slug: string }) => page.slug === slug).content).toBe('Page 57\n')
  })

  test('finds its pages by an index', async () => {
    const { body: page } = await p.guest.get(`/projects/${p.id}/wikis/${encodeURIComponent(slug)}`)
    const paths = [
      `/projects/${p.id}/wikis`,
      `/projects/${p.id}/wikis/${encodeURIComponent(slug)}`,
      `/projects/${p.id}/wiki_pages/${page.wiki_page_meta_id}/notes`,
    ]
    for (const path of paths) {
      await p.guest.get(path)
      const plans = await plansOf(own, async () => expect((await p.guest.get(path)).status).toBe(200))
      const found = concerning(plans, 'wiki_pages')
      expect(found.length).toBeGreaterThan(0)
      for (const { scanned, indexes } of found) {
        expect([path, scanned.filter((name) => name === 'wiki_pages')]).toEqual([path, []])
        expect(indexes.some((name) => /^wiki_pages_(?:slug_key|pkey)$/.test(name))).toBe(true)
      }
    }
  })
})
