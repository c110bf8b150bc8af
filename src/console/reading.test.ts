import { beforeAll, expect, test } from 'vitest'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

// Pages of what a project has besides issues and merge requests.

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const HOSTILE = '<img src=x onerror=alert(1)>'
const stranger = new Visitor(w.url, { headers: BROWSER })
let p: Awaited<ReturnType<typeof w.project>>
let page = ''
let at = ''
let reader: Visitor

beforeAll(async () => {
  const group = await w.group({ visibility: 'public' })
  p = await w.project({ visibility: 'public', parent: group.id })
  page = `/${p.fullPath}`
  at = `/projects/${p.id}`
  const lines = Array.from({ length: 6_000 }, (_, index) => `line ${index + 1}`).join('\n')
  const actions = [
    { action: 'create', file_path: 'README.md', content: '# Hello\n\n**bold**\n' },
    { action: 'create', file_path: 'src/long.txt', content: `${lines}\n` },
  ]
  await p.owner.post(`${at}/repository/commits`, { branch: 'main', commit_message: 'Begin', actions })
  const change = { action: 'update', file_path: 'README.md', content: '# Hello\n\nchanged\n' }
  const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Change', actions: [change] }
  await p.owner.post(`${at}/repository/commits`, commit)
  const { visitor, ...me } = await signedIn(w)
  reader = visitor
  await w.member(p.namespaceId, me, 20)
})

const shown = async (path: string, visitor: Visitor = stranger, status = 200) => {
  const answer = await visitor.get(path.startsWith('/') ? path : `${page}/-/${path}`, BROWSER)
  expect([path, answer.status]).toEqual([path, status])
  return answer.text
}

test('a file is rendered, plain, with who wrote each line, and at an address that stays', async () => {
  expect(await shown('blob/main/README.md')).toContain('<strong>bold</strong>')
  expect(await shown('blob/main/README.md?plain=1')).toContain('**bold**')
  const blame = await shown('blame/main/README.md')
  expect(blame).toContain('Begin')
  const [, permalink = ''] = /href="([^"]*)" title="An address/.exec(blame) ?? []
  expect(permalink).toMatch(/\/blame\/[0-9a-f]{40}\/README\.md$/)
  expect(await shown(permalink)).toContain('**bold**')
  for (const path of ['blame/main/none', 'blame/nowhere/README.md']) await shown(path, stranger, 404)
})

test('links and images of a rendered file lead to the files beside it', async () => {
  const content =
    '[Code](../src/long.txt#L2) ![Logo](logo.png) [Root](/src) [Web](https://example.com) [Here](#x) [Up](../../../x.md)'
  const commit = {
    branch: 'docs',
    start_branch: 'main',
    commit_message: 'Write',
    actions: [{ action: 'create', file_path: 'docs/Guide one.md', content }],
  }
  await p.owner.post(`${at}/repository/commits`, commit)
  const text = await shown('blob/docs/docs/Guide%20one.md')
  for (const address of [
    `href="${page}/-/blob/docs/src/long.txt#L2"`,
    `src="${page}/-/raw/docs/docs/logo.png"`,
    `href="${page}/-/blob/docs/src"`,
    'href="https://example.com"',
    'href="#x"',
    `href="${page}/-/blob/docs/x.md"`,
  ])
    expect(text).toContain(address)
  expect(await shown('blob/main/src')).toContain('long.txt')
})

test('a long file is shown in parts', async () => {
  const first = await shown('blob/main/src/long.txt')
  expect(first).toContain('id="L5000"')
  expect(first).not.toContain('id="L5001"')
  expect(first).toContain('?part=2')
  expect(await shown('blob/main/src/long.txt?part=2')).toContain('line 6000')
})

test('branches are compared, inline and side by side', async () => {
  const inline = await shown('compare/main...topic')
  expect(inline).toContain('1 commit')
  expect(inline).toContain('<code>changed</code>')
  expect(await shown('compare/main...topic?view=parallel')).toContain('diff parallel')
  const { status, headers } = await stranger.get(`${page}/-/compare?from=main&to=topic`)
  expect([status, headers.location]).toEqual([303, `${page}/-/compare/main...topic`])
  expect(await shown('compare')).toContain('Which branches')
  for (const path of ['compare/main', 'compare/main...nowhere']) await shown(path, stranger, 404)
})

test('contributors and forks', async () => {
  expect(await shown('graphs/main')).toContain('1 commit')
  await shown('graphs/nowhere', stranger, 404)
  expect(await shown('forks')).toContain('Nobody has forked')
})

test('a wiki has its pages beside each', async () => {
  expect(await shown('wikis')).toContain('There is no page yet')
  await p.owner.post(`${at}/wikis`, { title: 'home', content: `See [[Other page]]. ${HOSTILE}` })
  await p.owner.post(`${at}/wikis`, { title: 'Other page', content: 'Here' })
  const home = await shown('wikis/home')
  expect(home).toContain(`href="${page}/-/wikis/Other-page"`)
  expect(home).not.toContain('onerror')
  expect(await shown('wikis/Other-page')).toContain('Here')
  expect(await shown('wikis/pages')).toContain('Other page')
  await shown('wikis/none', stranger, 404)
})

test('snippets show their files', async () => {
  const files = [
    { file_path: 'a.txt', content: HOSTILE },
    { file_path: 'b/c.txt', content: 'second' },
  ]
  const snippet = { title: HOSTILE, visibility: 'public', description: '**bold**', files }
  const { body } = await p.owner.post(`${at}/snippets`, snippet)
  expect(await shown('snippets')).toContain(`href="${page}/-/snippets/${body.id}"`)
  const one = await shown(`snippets/${body.id}`)
  for (const words of ['second', '<strong>bold</strong>', '&lt;img src=x']) expect(one).toContain(words)
  expect(one).not.toContain('<img src=x')
  const raw = await fetch(body.files[1].raw_url)
  expect([raw.status, await raw.text()]).toEqual([200, 'second'])
  const personal = (await p.owner.post('/snippets', { ...snippet, visibility: 'private' })).body
  await shown(`/-/snippets/${personal.id}`, reader, 404)
  await shown(`snippets/999999`, stranger, 404)
})

test('a milestone shows what is to be done for it', async () => {
  const { body } = await p.owner.post(`${at}/milestones`, { title: 'Soon', description: '**bold**' })
  await p.owner.post(`${at}/issues`, { title: 'Do it', milestone_id: body.id })
  const one = await shown(`milestones/${body.iid}`)
  for (const words of ['Do it', '<strong>bold</strong>', '0 of 1 issues are closed'])
    expect(one).toContain(words)
  await shown('milestones/99', stranger, 404)
  const [group = ''] = p.fullPath.split('/')
  expect(await shown(`/groups/${group}/-/milestones`)).toContain('There is no milestone')
  expect(await shown(`/groups/${group}/-/labels`)).toContain('There is no label')
})

test('a group shows the groups below it as a tree', async () => {
  const top = await w.group({ visibility: 'public' })
  const middle = await w.group({ visibility: 'public', parent: top.id })
  const leaf = await w.group({ visibility: 'public', parent: middle.id })
  const hidden = await w.group({ visibility: 'private', parent: top.id })
  const text = await shown(`/groups/${top.fullPath}`)
  expect(text.indexOf(`href="/${middle.fullPath}"`)).toBeLessThan(text.indexOf(`href="/${leaf.fullPath}"`))
  expect(text).toContain(`href="/${leaf.fullPath}"`)
  expect(text).not.toContain(hidden.fullPath)
})

test('all files of a branch are downloaded in one', async () => {
  const text = await shown('tree/main')
  const [, address = ''] = /href="([^"]*\.tar\.gz)"/.exec(text) ?? []
  const { status, headers } = await stranger.get(address)
  expect([status, headers['content-type']]).toEqual([200, 'application/octet-stream'])
})

test('what people did is shown to those who are signed in', async () => {
  const activity = await shown('activity', reader)
  expect(activity).toContain('<code>main</code>')
  expect(await shown('/dashboard/activity', reader)).toContain('Activity of your projects')
  expect((await stranger.get(`${page}/-/activity`)).status).toBe(303)
  const person = await shown(`/${p.owner.username}`, reader)
  expect(person).toContain('<h2>Activity</h2>')
  expect(await shown(`/${p.owner.username}`)).not.toContain('<h2>Activity</h2>')
})

test('what people did leads to what they did it with, by the names that it has', async () => {
  const { body: issue } = await p.owner.post(`${at}/issues`, { title: 'The door squeaks' })
  const { body: note } = await p.owner.post(`${at}/issues/${issue.iid}/notes`, { body: 'Loudly' })
  await p.owner.post(`${at}/wikis`, { title: 'Doors', content: 'All of them' })
  const activity = await shown('activity', reader)
  for (const link of [`issues/${issue.iid}`, `issues/${issue.iid}#note_${note.id}`, 'wikis/Doors'])
    expect(activity).toContain(`href="${page}/-/${link}"`)
  expect(activity).toContain(`href="${page}/-/commits/topic"`)
  const overview = await shown('/dashboard/activity', reader)
  for (const link of [`${page}/-/issues/${issue.iid}`, page, '/dashboard'])
    expect(overview).toContain(`href="${link}"`)
  expect(await shown('/dashboard', reader)).toContain('href="/dashboard/activity"')
  const said = activity.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
  expect(said).toContain(`commented on issue #${issue.iid} The door squeaks`)
  expect(said).toContain('created wiki page Doors')
})

test('the labels and the milestone of an issue lead to what else has them', async () => {
  const { body: milestone } = await p.owner.post(`${at}/milestones`, { title: 'Spring' })
  const { body: issue } = await p.owner.post(`${at}/issues`, {
    title: 'Oil it',
    labels: 'to do',
    milestone_id: milestone.id,
  })
  const text = await shown(`issues/${issue.iid}`)
  expect(text).toMatch(/href="[^"]*\/-\/issues\?labels=to\+do"/)
  expect(text).toContain(`href="${page}/-/milestones/${milestone.iid}"`)
  expect(await shown('issues?labels=to+do')).toContain('Oil it')
})

test('explore has projects, groups, topics and snippets', async () => {
  await p.owner.put(at, { topics: ['tools'] })
  for (const path of ['', '/groups', '/projects/topics', '/snippets']) await shown(`/explore${path}`)
  expect(await shown('/explore/projects/topics?search=tools')).toContain('/explore?topic=tools')
  expect(await shown('/explore?topic=tools')).toContain(`href="${page}"`)
  for (const path of ['', '/groups', '/snippets', '/reviews']) await shown(`/dashboard${path}`, reader)
})
