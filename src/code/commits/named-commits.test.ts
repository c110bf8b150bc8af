import { expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { w } from '#test/world.ts'

const commit = async ({ id, owner }: { id: number; owner: Client }, message: string) => {
  const actions = [{ action: 'create', file_path: message, content: 'x' }]
  const { body } = await owner.post(`/projects/${id}/repository/commits`, {
    branch: 'main',
    commit_message: message,
    actions,
  })
  return body
}

test('texts name commits of their project, for those who may see its code', async () => {
  const p = await w.project({ visibility: 'public' })
  const { id, short_id, web_url } = await commit(p, 'Say "it"')
  const elsewhere = await commit(await w.project(), 'Secret')
  const render = async (by: Client, text: string) =>
    (await by.post('/markdown', { text, gfm: true, project: p.fullPath })).body.html
  const link = (text: string) =>
    `<a href="${web_url}" class="gfm" data-reference-type="commit" title="Say &quot;it&quot;">${text}</a>`
  const rest = `0123456789 ${elsewhere.id} \`${short_id}\` x/${short_id} ${short_id}-a`
  const html = `<p>${link(id)}, ${link(short_id)}. 0123456789 ${elsewhere.id} <code>${short_id}</code> x/${short_id} ${short_id}-a</p>\n`
  const text = `${id}, ${short_id}. ${rest}`
  for (const by of [p.guest, p.stranger, w.anonymous]) expect(await render(by, text)).toBe(html)
  await p.owner.put(`/projects/${p.id}`, { repository_access_level: 'private' })
  expect(await render(p.stranger, id)).toBe(`<p>${id}</p>\n`)
  expect(await render(p.reporter, id)).toBe(`<p>${link(id)}</p>\n`)
  const branch = { branch: short_id.slice(0, 7).replaceAll(/./g, 'a'), ref: 'main' }
  await p.owner.post(`/projects/${p.id}/repository/branches`, branch)
  expect(await render(p.reporter, branch.branch)).toBe(`<p>${branch.branch}</p>\n`)
})
