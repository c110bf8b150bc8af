import { expect, test } from 'vitest'
import { commits, importInto } from '#test/repositories.ts'
import { Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { saidIn } from '../test-support.ts'

const stranger = new Visitor(w.url, { headers: { accept: 'text/html' } })

async function released(visibility: 'public' | 'private') {
  const group = await w.group({ visibility: 'public' })
  const p = await w.project({ visibility, parent: group.id })
  await importInto(p, commits({ message: 'Begin', files: { a: 'a' } }))
  const at = `/projects/${p.id}`
  await p.maintainer.post(`${at}/milestones`, { title: 'Soon' })
  const { status, body } = await p.maintainer.post(`${at}/releases`, {
    tag_name: 'cli/v1',
    ref: 'main',
    name: 'First <b>one</b>',
    description: 'It **works**.\n\n[x](javascript:alert(1))<script>alert(1)</script>',
    milestones: ['Soon'],
    assets: { links: [{ name: 'Tool', url: 'https://example.com/tool', link_type: 'package' }] },
  })
  expect([status, body.message]).toEqual([201, undefined])
  const { _links: links } = body
  return { p, group, at, self: new URL(links.self).pathname, place: `/${p.fullPath}/-/releases` }
}

test('releases with their notes, milestones and assets, also one whose tag has a slash', async () => {
  const { p, group, at, self, place } = await released('public')
  for (const path of [place, self]) {
    const { status, text } = await stranger.get(path)
    expect([path, status]).toEqual([path, 200])
    expect(text).toContain('First &lt;b&gt;one&lt;/b&gt;')
    expect(text).toContain('It <strong>works</strong>.')
    expect(text).not.toMatch(/<script>|href="javascript:/)
    expect(text).toContain('>Soon</a>')
    expect(text).toContain('href="https://example.com/tool"')
    expect(text).toContain('Source code (zip)')
  }
  const all = await stranger.get(`/groups/${group.fullPath}/-/releases`)
  expect(all.text).toContain(`href="${self}"`)
  expect(all.text).toContain(p.fullPath)
  expect((await stranger.get(`${place}/none`)).status).toBe(404)
  expect((await stranger.get(`${place}/permalink/latest`)).headers.location).toBe(self)
  await p.maintainer.post(`${at}/releases`, { tag_name: 'v2', ref: 'main', description: 'x'.repeat(100_000) })
  const list = await stranger.get(place)
  expect([list.text.length < 60_000, list.text.includes('Read what is new')]).toEqual([true, true])
})

test('releases of a private project are as if they were not there', async () => {
  const { group, self, place } = await released('private')
  const missing = await stranger.get('/nobody/nothing')
  for (const path of [place, self]) expect(saidIn(await stranger.get(path))).toBe(saidIn(missing))
  expect((await stranger.get(`/groups/${group.fullPath}/-/releases`)).text).not.toContain('First')
})
