import { beforeAll, expect, test } from 'vitest'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// What people do with a project as a whole.

let p: Awaited<ReturnType<typeof w.project>>
let home = ''
let ada: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  home = `/${p.fullPath}`
  ada = await signedIn(w)
  await w.member(p.namespaceId, ada, 30)
  await p.owner.post(`/projects/${p.id}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions: [{ action: 'create', file_path: 'README.md', content: '# Hello\n' }],
  })
})

test('a project is starred, once, and the star is taken back', async () => {
  const stars = async () => (await p.owner.get(`/projects/${p.id}`)).body.star_count
  const before = await stars()
  const starred = await submit(ada.visitor, home, 'star')
  expect(starred.headers.location).toBe(home)
  expect(await stars()).toBe(before + 1)
  const { text } = await ada.visitor.get(home, HERE)
  expect(text).toContain('You starred the project.')
  expect(formsIn(text)).toEqual(['unstar'])
  const token = /name="authenticity_token" value="([^"]*)"/.exec(text)?.[1] ?? ''
  const again = await ada.visitor.post(home, { authenticity_token: token, do: 'star' }, HERE)
  expect(again.status).toBe(303)
  await submit(ada.visitor, home, 'unstar')
  expect(await stars()).toBe(before)
  expect(formsIn((await new Visitor(w.url).get(home, HERE)).text)).toEqual([])
})

test('who may commit begins a file on the first page, which says how to clone and to push', async () => {
  const link = `href="${home}/-/new/main"`
  const { text } = await ada.visitor.get(home, HERE)
  for (const part of [link, 'git clone', 'personal_access_tokens?name=git&amp;scopes=write_repository'])
    expect(text).toContain(part)
  expect((await new Visitor(w.url).get(home, HERE)).text).not.toContain(link)
  const empty = await w.project({ visibility: 'public' })
  const code = await new Visitor(w.url).get(`/${empty.fullPath}/-/tree/main`, HERE)
  expect([code.status, code.headers.location]).toEqual([303, `/${empty.fullPath}`])
  const { text: begins } = await new Visitor(w.url).get(`/${empty.fullPath}`, HERE)
  for (const part of ['git remote add forgelet', 'HEAD:main']) expect(begins).toContain(part)
})

test('who has pushed to a branch is offered to open a merge request, until they have', async () => {
  const file = { commit_message: 'Work', content: 'x', branch: 'ada/work', start_branch: 'main' }
  await ada.user.post(`/projects/${p.id}/repository/files/work.txt`, file)
  const offer = 'merge_requests/new?merge_request%5Bsource_branch%5D=ada%2Fwork'
  const shown = async () => (await ada.visitor.get(home, HERE)).text
  await expect.poll(shown).toContain(offer)
  const other = await signedIn(w)
  expect((await other.visitor.get(home, HERE)).text).not.toContain(offer)
  const asked = { source_branch: 'ada/work', target_branch: 'main', title: 'Work' }
  await ada.user.post(`/projects/${p.id}/merge_requests`, asked)
  await expect.poll(shown).not.toContain(offer)
})

test('a project is forked, and what the API refuses is said', async () => {
  const page = `${home}/-/forks/new`
  expect((await ada.visitor.get(home, HERE)).text).toContain(`href="${page}"`)
  const { text } = await ada.visitor.get(page, HERE)
  const own = new RegExp(`<option value="(\\d+)"[^>]*>${ada.username}<`).exec(text)?.[1] ?? ''
  const fields = { namespace_id: own, name: 'Mine', path: 'mine', visibility: 'private' }
  const made = await submit(ada.visitor, page, 'fork', fields)
  expect(made.headers.location).toBe(`/${ada.username}/mine`)
  const fork = (await ada.user.get(`/projects/${encodeURIComponent(`${ada.username}/mine`)}`)).body
  expect(fork).toMatchObject({ name: 'Mine', visibility: 'private', forked_from_project: { id: p.id } })
  const again = await submit(ada.visitor, page, 'fork', fields)
  expect(again.status).toBe(409)
  expect(again.text).toContain('value="mine"')
})
