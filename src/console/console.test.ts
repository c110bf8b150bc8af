import { expect, test } from 'vitest'
import { withSettings } from '#identity/users/test-support.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { saidIn } from './test-support.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const stranger = new Visitor(w.url, { headers: BROWSER })

/** A project with a file, an issue and a note. */
async function shownProject(visibility: 'public' | 'private' = 'public') {
  const group = await w.group({ visibility: 'public' })
  const project = await w.project({ visibility, parent: group.id })
  const { owner } = project
  const at = `/projects/${project.id}`
  const actions = [{ action: 'create', file_path: 'src/main.ts', content: 'export {}\n' }]
  await owner.post(`${at}/repository/commits`, { branch: 'main', commit_message: 'Begin', actions })
  await owner.post(`${at}/issues`, {
    title: 'It is <b>broken</b>',
    description: 'See [here](javascript:alert(1))',
  })
  await owner.post(`${at}/issues/1/notes`, { body: 'So it is' })
  return { ...project, page: `/${project.fullPath}` }
}

test('addresses of projects are pages for browsers, and nothing in JSON for programs', async () => {
  const { page } = await shownProject()
  for (const path of [page, `${page}/-/issues`, `${page}/-/issues/1`, `${page}/-/blob/main/src/main.ts`]) {
    const shown = await stranger.get(path)
    expect([path, shown.status, shown.headers['content-type']]).toEqual([
      path,
      200,
      'text/html; charset=utf-8',
    ])
    const program = await new Visitor(w.url, { headers: { accept: '*/*' } }).get(path)
    expect([path, program.status, program.text]).toEqual([path, 404, '{"error":"404 Not Found"}'])
  }
  expect((await stranger.get('/api/v4/nothing')).text).toBe('{"error":"404 Not Found"}')
})

test('what somebody may not see is like what is not there', async () => {
  const { page, stranger: other, owner } = await shownProject('private')
  const missing = await stranger.get('/nobody/nothing')
  const pages = [
    page,
    `${page}/-/issues`,
    `${page}/-/issues/1`,
    `${page}/-/tree/main`,
    `${page}/-/commits/main`,
  ]
  for (const path of pages) {
    const shown = await stranger.get(path)
    expect([path, shown.status]).toEqual([path, 404])
    expect(saidIn(shown)).toBe(saidIn(missing))
  }
  expect([other.id === owner.id, missing.status]).toEqual([false, 404])
  expect(missing.text).toContain('Sign in')
  const member = await signedIn(w)
  expect((await member.visitor.get(page, BROWSER)).status).toBe(404)
  await w.member(
    (await w.root.get(`/projects/${encodeURIComponent(page.slice(1))}`)).body.namespace.id,
    member,
    10,
  )
  expect((await member.visitor.get(page, BROWSER)).status).toBe(200)
})

test('names and texts of people are text', async () => {
  const { page } = await shownProject()
  const { text, headers } = await stranger.get(`${page}/-/issues/1`)
  expect(text).toContain('It is &lt;b&gt;broken&lt;/b&gt;')
  expect(text).not.toContain('href="javascript:')
  expect(text).toContain('See ')
  expect(headers['content-security-policy']).toContain("default-src 'none'")
})

test('a former path and another case lead to the path of today, with all that follows', async () => {
  const { page, owner, id } = await shownProject()
  const path = unique('moved')
  await owner.put(`/projects/${id}`, { path })
  const now = `${page.slice(0, page.lastIndexOf('/'))}/${path}`
  for (const former of [page, now.toUpperCase()]) {
    const { status, headers } = await stranger.get(`${former}/-/issues?state=closed`)
    expect([status, headers.location]).toEqual([301, `${now}/-/issues?state=closed`])
  }
})

test('a page counts once in the limits of its visitor', async () => {
  const { page } = await shownProject()
  const limits = {
    throttle_unauthenticated_api_enabled: true,
    throttle_unauthenticated_api_requests_per_period: 2,
    throttle_unauthenticated_api_period_in_seconds: 60,
  }
  await w.running.services.limits.forget()
  await withSettings(limits, async () => {
    const somewhere = new Visitor(w.url, { headers: BROWSER, from: '192.0.2.77' })
    const statuses = []
    for (let n = 0; n < 3; n += 1) statuses.push((await somewhere.get(`${page}/-/issues`)).status)
    expect(statuses).toEqual([200, 200, 429])
  })
  await w.running.services.limits.forget()
})

test('people are told what waits for them, and read what strangers must sign in for', async () => {
  const { page } = await shownProject()
  const { visitor, username } = await signedIn(w)
  const issue = `${page}/-/issues/1`
  expect((await stranger.get(issue)).text).toContain('Sign in to read what people said.')
  const shown = await visitor.get(issue, BROWSER)
  expect(shown.text).toContain('<p>So it is</p>')
  expect(shown.text).toContain(`<strong>${username}</strong></a>`)
  expect(shown.text).toContain('To-dos <span class="count">0</span>')
  expect((await stranger.get('/dashboard')).headers.location).toBe('/users/sign_in?return_to=%2Fdashboard')
  expect((await visitor.get('/dashboard', BROWSER)).status).toBe(200)
})

test('a branch with slashes is found before its path', async () => {
  const { page, owner, id } = await shownProject()
  await owner.post(`/projects/${id}/repository/branches`, { branch: 'feature/one', ref: 'main' })
  for (const place of [
    'tree/feature/one',
    'tree/feature/one/src',
    'blob/feature/one/src/main.ts',
    'commits/feature/one',
  ])
    expect([place, (await stranger.get(`${page}/-/${place}`)).status]).toEqual([place, 200])
  for (const place of ['tree/feature/two', 'blob/feature/one/none', 'commits/none', 'commit/0000'])
    expect([place, (await stranger.get(`${page}/-/${place}`)).status]).toEqual([place, 404])
})

test('lists go on', async () => {
  const { page, owner, id } = await shownProject()
  for (let n = 0; n < 20; n += 1) await owner.post(`/projects/${id}/issues`, { title: `Issue ${n}` })
  const first = await stranger.get(`${page}/-/issues?search=issue`)
  expect(first.text).not.toContain('← Before')
  const all = await stranger.get(`${page}/-/issues`)
  expect(all.text).toContain(`<a href="${page}/-/issues?page=2">Next →</a>`)
  const second = await stranger.get(`${page}/-/issues?page=2`)
  expect(second.text).toContain('It is &lt;b&gt;broken&lt;/b&gt;')
  expect((await stranger.get(`${page}/-/issues?page=0`)).status).toBe(400)
})

test('a merge request shows what is said of it, its commits, and what it changes', async () => {
  const { page, owner, id } = await shownProject()
  const at = `/projects/${id}`
  const actions = [
    { action: 'update', file_path: 'src/main.ts', content: 'export const now = "<i>"\n' },
    { action: 'create', file_path: 'new.txt', content: 'new\n' },
  ]
  const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Say now', actions }
  await owner.post(`${at}/repository/commits`, commit)
  const { body } = await owner.post(`${at}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'main',
    title: 'Say when',
    assignee_id: owner.id,
  })
  const one = `${page}/-/merge_requests/${body.iid}`
  expect((await stranger.get(`${page}/-/merge_requests`)).text).toContain(`href="${one}"`)
  expect((await stranger.get(`${page}/-/merge_requests?state=merged`)).text).not.toContain(`href="${one}"`)
  expect((await stranger.get(one)).text).toContain('wants to merge')
  expect((await stranger.get(`${one}/commits`)).text).toContain('Say now')
  for (const path of [`${one}/diffs`, `${page}/-/commit/${body.sha}`]) {
    const { text } = await stranger.get(path)
    expect(text).toContain('<code>export const now = &quot;&lt;i&gt;&quot;</code>')
    expect(text).toMatch(/new\.txt<\/a>\s*<span class="badge">new</)
  }
  expect((await stranger.get(`${page}/-/merge_requests/99`)).status).toBe(404)
})

test('a dashboard lists what waits for somebody', async () => {
  const { page, owner, id, namespaceId } = await shownProject()
  const { visitor, ...me } = await signedIn(w)
  for (const path of ['issues', 'merge_requests', 'todos'])
    expect((await visitor.get(`/dashboard/${path}`, BROWSER)).text).toContain('class="empty"')
  await w.member(namespaceId, me, 30)
  await owner.put(`/projects/${id}/issues/1`, { assignee_ids: [me.id] })
  for (const path of ['issues', 'todos'])
    await expect
      .poll(async () => (await visitor.get(`/dashboard/${path}`, BROWSER)).text)
      .toContain(`href="${page}/-/issues/1"`)
})

test('files as they are come from the API, for browsers and for programs with a token', async () => {
  const { page, owner, id } = await shownProject('private')
  await owner.post(`/projects/${id}/repository/branches`, { branch: 'feature/one', ref: 'main' })
  const { visitor, ...me } = await signedIn(w)
  await w.member((await owner.get(`/projects/${id}`)).body.namespace.id, me, 20)
  for (const branch of ['main', 'feature/one']) {
    const { status, headers } = await visitor.get(`${page}/-/raw/${branch}/src/main.ts`, BROWSER)
    expect([branch, status]).toEqual([branch, 302])
    const file = await visitor.get(headers.location ?? '')
    expect([file.text, file.headers['content-security-policy']]).toEqual([
      'export {}\n',
      "default-src 'none'; sandbox",
    ])
  }
  const program = await fetch(`${w.url}${page}/-/raw/main/src/main.ts`, {
    headers: { 'private-token': owner.token },
  })
  expect(await program.text()).toBe('export {}\n')
  expect((await fetch(`${w.url}${page}/-/raw/main/src/main.ts`)).status).toBe(404)
})

test('lists of what a project has', async () => {
  const { page, owner, id } = await shownProject()
  const at = `/projects/${id}`
  await owner.post(`${at}/releases`, {
    tag_name: 'v1',
    ref: 'main',
    name: 'First',
    description: 'It <i>works</i>',
  })
  await owner.post(`${at}/milestones`, { title: 'Soon', due_date: '2030-01-01' })
  await owner.post(`${at}/labels`, { name: 'bug', color: '#d00000', description: 'Broken' })
  const shown = async (word: string) => (await stranger.get(`${page}/-/${word}`)).text
  expect(await shown('branches')).toContain('<strong>main</strong>')
  expect(await shown('tags')).toContain('<strong>v1</strong>')
  expect(await shown('releases')).toContain('It <i>works</i>')
  expect(await shown('milestones')).toContain(`href="${page}/-/milestones/1"`)
  expect(await shown('labels')).toContain('fill="#d00000"')
  for (const word of ['pipelines', 'packages']) expect(await shown(word)).toContain('class="empty"')
  expect((await stranger.get(`${page}/-/issues?milestone=Soon`)).text).toContain(
    'Nothing fits these filters.',
  )
})

test('searches of the instance and of a project', async () => {
  const { page, namespaceId, owner, id } = await shownProject()
  expect((await stranger.get('/search')).headers.location).toBe('/users/sign_in?return_to=%2Fsearch')
  const { visitor, ...me } = await signedIn(w)
  await w.member(namespaceId, me, 30)
  const find = async (path: string) => (await visitor.get(path, BROWSER)).text
  expect(await find('/search')).toContain('What to search for')
  expect(await find('/search?search=broken&scope=issues')).toContain(`href="${page}/-/issues/1"`)
  expect(await find(`/search?search=${page.split('/').at(-1)}`)).toContain(`href="${page}"`)
  expect(await find(`/search?search=${me.username}&scope=users`)).toContain(`href="/${me.username}"`)
  expect(await find(`${page}/-/search?search=export`)).toContain(`href="${page}/-/blob/main/src/main.ts#L1"`)
  expect(await find(`${page}/-/search?search=begin&scope=commits`)).toContain('/-/commit/')
  await owner.post(`/projects/${id}/issues/1/notes`, { body: 'It hangs in the <b>hinge</b>' })
  const comments = await find(`${page}/-/search?search=hinge&scope=notes`)
  expect(comments).toContain('in the &lt;b&gt;hinge')
  expect(comments).toContain(`href="${page}/-/issues/1"`)
  await owner.post(`/projects/${id}/wikis`, { title: 'How to', content: 'Oil the hinge.' })
  const pages = await find(`${page}/-/search?search=hinge&scope=wiki_blobs`)
  expect(pages).toContain(`href="${page}/-/wikis/How-to"`)
  expect(await find(`${page}/-/search?search=nothing-of-it&scope=none`)).toContain('Nothing was found.')
  expect((await visitor.get(`/search?search=${'x'.repeat(1_025)}`, BROWSER)).status).toBe(400)
})

test('pages of groups that need a license say so, and stay in the group', async () => {
  const group = await w.group({ visibility: 'public' })
  const { visitor } = await signedIn(w)
  for (const [path, said] of [
    ['epics', 'Epics need a license for Premium'],
    ['wikis', 'Wikis of groups need a license for Premium'],
  ]) {
    const { status, text } = await visitor.get(`/groups/${group.fullPath}/-/${path}`, BROWSER)
    expect([path, status, text]).toEqual([path, 200, expect.stringContaining(said ?? '')])
    expect(text).toContain(`href="/groups/${group.fullPath}/-/milestones"`)
  }
})

test('a group is searched with what is below it, where its header leads', async () => {
  const group = await w.group({ visibility: 'public' })
  const p = await w.project({ visibility: 'public', parent: group.id })
  await p.owner.post(`/projects/${p.id}/issues`, { title: 'The gate creaks' })
  const { visitor } = await signedIn(w)
  const page = `/groups/${group.fullPath}/-/search`
  expect((await visitor.get(`/${group.fullPath}`, BROWSER)).text).toContain(`href="${page}"`)
  expect((await visitor.get(page, BROWSER)).text).toContain('What to search for')
  const found = await visitor.get(`${page}?search=creaks&scope=issues`, BROWSER)
  expect(found.text).toContain(`href="/${p.fullPath}/-/issues/1"`)
  const none = await visitor.get(`${page}?search=creaks&scope=milestones`, BROWSER)
  expect(none.text).toContain('This looked for “Milestones” alone')
})

test('too much text for one page is refused, and the server goes on', async () => {
  const { page, owner, id } = await shownProject()
  const description = 'é'.repeat(500_000)
  for (let n = 0; n < 18; n += 1)
    await owner.post(`/projects/${id}/issues`, { title: `Long ${n}`, description })
  const shown = await stranger.get(`${page}/-/issues`)
  expect([shown.status, shown.text.includes('too much text here')]).toEqual([413, true])
  expect((await stranger.get(`${page}/-/issues/2`)).status).toBe(200)
  expect((await stranger.get(`${page}/-/issues?search=broken`)).status).toBe(200)
})

test('whatever an address says, no page fails', async () => {
  const { page } = await shownProject()
  const odd = [
    '%00',
    '%',
    '%FF',
    '..%2F..',
    'a'.repeat(5_000),
    '%2F%2F',
    '\'"><script>',
    '-/-/-',
    '%E2%80%AE',
    '\\\\',
  ]
  const places = [
    '/',
    `${page}/`,
    `${page}/-/`,
    `${page}/-/tree/`,
    `${page}/-/raw/main/`,
    `${page}/-/commit/`,
    '/groups/',
  ]
  for (const place of places)
    for (const one of odd) {
      const { status, text } = await stranger.get(place + encodeURI(one).replaceAll('%25', '%'))
      expect([place, one, status < 500, text.includes('<script>')]).toEqual([place, one, true, false])
    }
})

test('pages of refusals say who is signed in, and lead on', async () => {
  const { visitor, username } = await signedIn(w)
  for (const path of ['/-/no/such/page', '/nobody/nothing']) {
    const { status, text } = await visitor.get(path, BROWSER)
    expect(status).toBe(404)
    for (const words of [username, '/dashboard/todos']) expect(text).toContain(words)
  }
})

test('filters of a list are words that can be removed', async () => {
  const { page } = await shownProject()
  const { text } = await stranger.get(
    `${page}/-/issues?search=broken&labels=&author_username=nobody&state=all`,
  )
  expect(text).toContain('Nothing fits these filters.')
  expect(text).toContain(`href="${page}/-/issues?state=all&amp;search=broken"`)
  expect(text).not.toContain('labels: ')
  expect((await stranger.get(`${page}/-/issues?search=broken`)).text).toContain('#1')
})

test('reactions to an issue are counted', async () => {
  const { page, owner, id } = await shownProject()
  await owner.post(`/projects/${id}/issues/1/award_emoji`, { name: 'thumbsup' })
  const { text } = await stranger.get(`${page}/-/issues/1`)
  for (const words of ['👍', owner.username, 'aria-label="Reactions"']) expect(text).toContain(words)
})

test('reactions to notes are counted', async () => {
  const { page, owner, id } = await shownProject()
  const issue = `/projects/${id}/issues/1`
  const { body: note } = await owner.post(`${issue}/notes`, { body: 'It works again.' })
  await owner.post(`${issue}/notes/${note.id}/award_emoji`, { name: 'tada' })
  const { visitor } = await signedIn(w)
  expect((await visitor.get(`${page}/-/issues/1`, BROWSER)).text).toMatch(/It works again[^]*🎉/)
})

test('a group lists the issues and merge requests of its projects', async () => {
  const { page } = await shownProject()
  const [group = ''] = page.slice(1).split('/')
  const { text } = await stranger.get(`/groups/${group}/-/issues`)
  expect(text).toContain(`${page.slice(1)}#1`)
  expect((await stranger.get(`/groups/${group}/-/merge_requests`)).text).toContain(
    'There is no merge request',
  )
})

test('a notice is shown once, and only as this server wrote it', async () => {
  const { visitor } = await signedIn(w)
  await visitor.submit('/-/user_settings/active_sessions', '/-/user_settings/active_sessions/end_others')
  expect((await visitor.get('/')).text).toContain('Ended.')
  expect((await visitor.get('/')).text).not.toContain('Ended.')
  const forged = `${Buffer.from('Call 0123').toString('base64url')}.${'A'.repeat(43)}`
  visitor.cookies.set('forgelet_notice', forged)
  expect((await visitor.get('/')).text).not.toContain('Call 0123')
})
