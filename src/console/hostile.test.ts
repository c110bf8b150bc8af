import { expect, test } from 'vitest'
import { piecesOf, plain } from './islands/ansi.ts'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const BROWSER = { accept: 'text/html' }

test('a search for a kind that objects have by themselves is one for the usual kind', async () => {
  const p = await w.project({ visibility: 'public' })
  const { visitor } = await signedIn(w)
  for (const scope of ['toString', 'constructor', '__proto__'])
    for (const page of ['/search', `/${p.fullPath}/-/search`]) {
      const { status } = await visitor.get(`${page}?search=a&scope=${scope}`, BROWSER)
      expect([page, scope, status]).toEqual([page, scope, 200])
    }
})

test('a part of a log that is one long escape sequence is read in time that grows with its length', () => {
  const started = performance.now()
  piecesOf(`\u001b[${'38;'.repeat(85_000)}mx`, plain())
  expect(performance.now() - started).toBeLessThan(1_000)
})
