import { expect, test } from 'vitest'
import { fillWiki } from '#code/wikis/test-support.ts'
import { expectQuick } from '#test/quick.ts'
import { Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const PAGES = 50_000
/** Milliseconds in which a page is there, and characters of it. */
const LONGEST = 100
const MOST = 60_000

test(
  `a page of a wiki of ${PAGES} pages is there as quickly as one of a few`,
  { timeout: 180_000 },
  async () => {
    const p = await w.project({ visibility: 'public' })
    await fillWiki(w, p.id, PAGES)
    const stranger = new Visitor(w.url, { headers: BROWSER })
    const shown = async (path: string) => {
      const { status, text } = await stranger.get(`/${p.fullPath}/-/wikis/${path}`, BROWSER)
      expect([path, status]).toEqual([path, 200])
      return text
    }
    const addresses = ['folder-7/page-57', 'pages', 'pages?page=400', 'folder-7/page-57/diff?version_id=main']
    for (const path of addresses) {
      const time = await expectQuick(() => shown(path), LONGEST)
      console.info(`${path}: ${time.toFixed(0)} ms`)
      expect((await shown(path)).length).toBeLessThan(MOST)
    }
    expect(await shown('pages')).toContain('?page=2"')
    expect(await shown('pages?page=500')).not.toContain('Next →')
    expect(await shown('pages?page=501')).toContain('There is nothing more')
    expect(await shown('folder-7/page-57')).toContain('also those that are not here')
  },
)
