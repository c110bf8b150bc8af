import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import type { MarkupReader } from './reader.ts'
import { renderTexts } from './render-texts.ts'

const reader = (id: number | null): MarkupReader => ({
  services: w.running.services,
  site: w.url,
  viewer: { id, admin: false, external: false, today: w.clock.now().toISOString().slice(0, 10), closed: [] },
})

test('the texts of a page are rendered for each reader, with as few statements as one of them', async () => {
  const p = await w.project()
  await p.owner.post(`/projects/${p.id}/issues`, { title: 'First' })
  await p.owner.post(`/projects/${p.id}/issues`, { title: 'Second', confidential: true })
  const texts = ['#1', 'nothing', '', `#2 @${p.guest.username}`, '*#1*']
  const read = (id: number | null, some = texts) => renderTexts(reader(id), some, { path: p.fullPath })
  const titles = (all: readonly string[]) =>
    all.map((html) => [...html.matchAll(/title="([^"]*)"/g)].map(([, title]) => title))
  expect(titles(await read(p.guest.id))).toEqual([['First'], [], [], [p.guest.username], ['First']])
  expect(titles(await read(p.planner.id))).toEqual([
    ['First'],
    [],
    [],
    ['Second', p.guest.username],
    ['First'],
  ])
  expect(titles(await read(null))).toEqual([[], [], [], [p.guest.username], []])
  expect(await w.statements(() => read(p.guest.id))).toHaveLength(4)
  expect(
    await w.statements(() =>
      read(
        p.guest.id,
        Array(50)
          .fill('#1 #2 @root')
          .map((t, i) => `${t} ${i}`),
      ),
    ),
  ).toHaveLength(4)
  expect(await w.statements(() => read(p.guest.id, ['nothing', '**at all**']))).toHaveLength(0)
})

test('a page of long texts is rendered as far as others need not wait', async () => {
  const long = `*a*${' a'.repeat(40_000)}`
  const all = await renderTexts(reader(null), [long, long, long, '*b*'])
  expect(all.map((html) => html.slice(0, 8))).toEqual(['<p><em>a', '<p><em>a', '<pre>*a*', '<p><em>b'])
})

test('[[pages]] lead into the wiki that the texts are in', async () => {
  const wiki = `${w.url}/a/b/-/wikis`
  const [here, nowhere] = [
    await renderTexts(reader(null), ['[[Home]]'], { wiki }),
    await renderTexts(reader(null), ['[[Home]]']),
  ]
  expect(here[0]).toContain(`<a href="${wiki}/Home"`)
  expect(nowhere[0]).toBe('<p>[[Home]]</p>\n')
})
