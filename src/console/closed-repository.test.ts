import { expect, test } from 'vitest'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

// Pages of projects for visitors who may not read their code.

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
/** Pages that take more than to see a project: a session, or a role. */
const OTHERS = /\/-\/(?:search|activity|pipelines|alert_management)$/
const ofCode = [
  '/-/releases/v1',
  '/-/merge_requests',
  '/-/tree/',
  '/-/commits/',
  '/-/branches"',
  '/-/tags"',
  '/-/graphs/',
  'git clone',
]

async function withFiles(visibility: 'public' | 'private') {
  const p = await w.project({ visibility })
  const at = `/projects/${p.id}`
  await p.owner.put(at, { description: 'Something to see' })
  await p.owner.post(`${at}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin',
    actions: [{ action: 'create', file_path: 'README.md', content: '# Secret\n' }],
  })
  await p.owner.post(`${at}/milestones`, { title: 'Soon' })
  await p.owner.post(`${at}/issues`, { title: 'An issue' })
  await p.owner.post(`${at}/releases`, { tag_name: 'v1', ref: 'main', description: 'First' })
  await p.owner.post(`${at}/environments`, { name: 'production' })
  return { ...p, at, page: `/${p.fullPath}` }
}

/** Visits the first page of a project and everything that its header leads to. */
async function visitAll(visitor: Visitor, page: string) {
  const home = await visitor.get(page, BROWSER)
  expect([page, home.status]).toEqual([page, 200])
  const header = home.text.slice(home.text.indexOf('<div class="place">'), home.text.indexOf('<main'))
  const links = new Set([...header.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link))
  const refused: string[] = []
  for (const link of links) {
    if (OTHERS.test(link)) continue
    const { status, headers } = await visitor.get(link, BROWSER)
    if (status !== 200) refused.push(`${status} ${link} ${headers.location ?? ''}`)
  }
  return { text: home.text, refused }
}

async function expectWithoutCode(visitor: Visitor, page: string) {
  const { status, text } = await visitor.get(page, BROWSER)
  expect([page, status]).toEqual([page, 200])
  for (const word of [...ofCode, 'Secret']) expect(text).not.toContain(word)
}

test('strangers see a public project without its private repository, and are not sent to sign in', async () => {
  const { page, at, owner } = await withFiles('public')
  const stranger = new Visitor(w.url, { headers: BROWSER })
  expect((await visitAll(stranger, page)).text).toContain('/-/tree/main')
  await owner.put(at, { repository_access_level: 'private', merge_requests_access_level: 'private' })
  const { text, refused } = await visitAll(stranger, page)
  expect(text).toContain('Something to see')
  for (const word of [...ofCode, 'Secret']) expect(text).not.toContain(word)
  expect(refused).toEqual([])
  for (const path of ['milestones/1', 'releases', 'issues/1'])
    await expectWithoutCode(stranger, `${page}/-/${path}`)
  // What they ask for by its address may be theirs once they have signed in.
  expect((await stranger.get(`${page}/-/tree/main`, BROWSER)).status).toBe(303)
  for (const feed of ['commits/main.atom', 'tags.atom'])
    expect([feed, (await stranger.get(`${page}/-/${feed}`)).status]).toEqual([feed, 401])
})

test('guests of a private project see it without its files', async () => {
  const { page, namespaceId } = await withFiles('private')
  const { visitor, ...me } = await signedIn(w)
  await w.member(namespaceId, me, 10)
  const { text, refused } = await visitAll(visitor, page)
  expect(text).toContain('Something to see')
  for (const word of [...ofCode, 'Secret']) expect(text).not.toContain(word)
  expect(refused).toEqual([])
  expect(text).toContain('You may not see the code of this project.')
  // To load the page again does not help those whose role is the reason.
  const branches = await visitor.get(`${page}/-/branches`, BROWSER)
  expect([branches.status, branches.text]).toEqual([403, expect.stringContaining('Your role does not allow')])
  const unknown = await new Visitor(w.url, { headers: BROWSER }).get(page)
  expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining('If you have an account')])
  for (const path of ['milestones/1', 'releases', 'issues/1'])
    await expectWithoutCode(visitor, `${page}/-/${path}`)
})
