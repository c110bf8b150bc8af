import { expect, test } from 'vitest'
import { fillWiki } from '#code/wikis/test-support.ts'
import { Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const PAGES = 50_000
/** Milliseconds in which a page is there, and characters of it. */
const LONGEST = 100
const MOST = 60_000

test(
  `a page of a wiki of ${PAGES} pages is there as quickly as one of a few`,
  { timeout: 120_000 },
  async () => {
    const p = await w.project({ visibility: 'public' })
    await fillWiki(w, p.id, PAGES)
    const stranger = new Visitor(w.url, { headers: BROWSER })
    const shown = async (path: string) => {
      const began = performance.now()
      const { status, text } = await stranger.get(`/${p.fullPath}/-/wikis/${path}`, BROWSER)
      expect([path, status]).toEqual([path, 200])
      return { text, time: performance.now() - began }
    }
    const addresses = ['folder-7/page-57', 'pages', 'pages?page=400', 'folder-7/page-57/diff?version_id=main']
    for (const path of addresses) {
      const times: number[] = []
      for (let tries = 0; tries < 6; tries += 1) times.push((await shown(path)).time)
      const [first, ...others] = times
      console.info(`${path}: ${first?.toFixed(0)} ms, then ${Math.min(...others).toFixed(0)} ms`)
      expect(Math.min(...others)).toBeLessThan(LONGEST)
      expect((await shown(path)).text.length).toBeLessThan(MOST)
    }
    expect((await shown('pages')).text).toContain('?page=2"')
    expect((await shown('pages?page=500')).text).not.toContain('Next →')
    expect((await shown('pages?page=501')).text).toContain('There is nothing more')
    expect((await shown('folder-7/page-57')).text).toContain('also those that are not here')
  },
)
