import { expect, test } from 'vitest'
import { Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const reader = new Visitor(w.url, { headers: { accept: 'text/html' } })

test('every guide is a page, and its links lead somewhere', async () => {
  const index = await reader.get('/help')
  const linksIn = (text: string) => [...text.matchAll(/href="(\/help\/[^"#]*)/g)].map(([, link = '']) => link)
  const guides = linksIn(index.text)
  expect(guides.length).toBeGreaterThan(70)
  const all = new Set(guides)
  for (const path of guides) {
    const { status, text } = await reader.get(path)
    expect([path, status, text.includes('<h1')]).toEqual([path, 200, true])
    expect(linksIn(text).filter((link) => !all.has(link))).toEqual([])
    expect([path, /href="\.\.?\//.exec(text)]).toEqual([path, null])
  }
})

test('guides are found by their titles, and others are not there', async () => {
  expect((await reader.get('/help?search=webhook')).text).toContain('/help/webhooks')
  expect((await reader.get('/help?search=no+such')).text).toContain('No guide has such a title.')
  for (const name of ['none', '..%2f..%2fpackage', 'README'])
    expect((await reader.get(`/help/${name}`)).status).toBe(404)
})
