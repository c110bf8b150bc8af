import { describe, expect, it, test } from 'vitest'
import { openIssue, twoProjects } from '#planning/issues/move/test-support.ts'
import { renderTexts } from '#planning/markup/render-texts.ts'
import type { MarkupReader } from '#planning/markup/reader.ts'
import { w } from '#test/world.ts'
import { secretOf, uploaded } from './test-support.ts'

describe('texts', () => {
  const secret = '0123456789abcdef0123456789abcdef'

  it('show uploads by their whole addresses', async () => {
    const p = await w.project()
    const html = async (text: string, more: object = {}) =>
      (await p.guest.post('/markdown', { text, project: p.fullPath, ...more })).body.html
    const address = `/${p.fullPath}/uploads/${secret}/x.png`
    for (const gfm of [true, false]) {
      expect(await html(`![x](/uploads/${secret}/x.png)`, { gfm })).toBe(
        `<p><img src="${address}" alt="x" /></p>\n`,
      )
      expect(await html(`[x](/uploads/${secret}/x.png)`, { gfm })).toContain(`<a href="${address}"`)
      expect(await html(`<img src="/uploads/${secret}/x.png" width="5">`, { gfm })).toContain(
        `src="${address}"`,
      )
    }
    for (const other of [
      `/uploads/-/system/x.png`,
      `/uploads/${secret}/a/b`,
      `/uploads/${secret}`,
      `/a/uploads/${secret}/x`,
    ])
      expect(await html(`[x](${other})`)).toContain(`href="${other}"`)
    expect((await p.guest.post('/markdown', { text: `![x](/uploads/${secret}/x.png)` })).body.html).toContain(
      `src="/uploads/${secret}`,
    )
  })

  it('show uploads of groups', async () => {
    const reader: MarkupReader = {
      services: w.running.services,
      site: w.url,
      viewer: { id: null, admin: false, external: false, today: '2026-01-01', closed: [] },
    }
    const [html] = await renderTexts(reader, [`![x](/uploads/${secret}/x.png)`], {
      path: 'a/b',
      kind: 'group',
    })
    expect(html).toContain(`src="/groups/a/b/-/uploads/${secret}/x.png"`)
  })

  it('of wikis show them, too', async () => {
    const p = await w.project()
    const path = `/projects/${p.id}`
    const { markdown } = await uploaded(p.developer, path)
    await p.developer.post(`${path}/wikis`, { title: 'Home', content: markdown })
    const { body } = await p.developer.get(`${path}/wikis/Home?render_html=true`)
    expect(body.content).toContain(`src="/${p.fullPath}/uploads/`)
  })

  it('show pictures on the pages of issues, where the browser may load them', async () => {
    const p = await w.project({ visibility: 'public' })
    const path = `/projects/${p.id}`
    const { markdown, url } = await uploaded(p.developer, path)
    const { body } = await p.developer.post(`${path}/issues`, { title: 'Shown', description: markdown })
    const page = await p.anonymous.get(body.web_url, { headers: { accept: 'text/html' } })
    expect(page.text).toContain(`<img src="/${p.fullPath}${url}" alt="dot" />`)
    expect((await p.anonymous.get(`${w.url}/${p.fullPath}${url}`)).status).toBe(200)
  })
})

test('an issue takes the uploads that it names to another project, moved or cloned', async () => {
  const { from, to, mover } = await twoProjects()
  const place = `/projects/${from.id}`
  const [shown, noted, other] = [
    await uploaded(from.developer, place),
    await uploaded(from.developer, place, 'Noted', 'noted.txt'),
    await uploaded(from.developer, place, 'Other', 'other.txt'),
  ]
  const issue = await openIssue(mover, from.id, { description: `${shown.markdown} ${shown.markdown}` })
  await mover.post(`${issue.path}/notes`, { body: `See ${noted.markdown}` })
  const statuses = async () =>
    Promise.all(
      [shown, noted, other].map(async ({ url }) => (await to.guest.get(`/projects/${to.id}${url}`)).status),
    )
  await mover.post(`${issue.path}/clone`, { to_project_id: to.id })
  expect(await statuses()).toEqual([200, 404, 404])
  const { body } = await mover.post(`${issue.path}/move`, { to_project_id: to.id })
  expect(await statuses()).toEqual([200, 200, 404])
  expect(body.description).toContain(secretOf(shown))
  await from.maintainer.delete(`${place}/uploads/${shown.id}`)
  expect(await statuses()).toEqual([200, 200, 404])
})
