import { beforeAll, expect, test } from 'vitest'
import { csrfTokenIn, signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Forms of merge requests: opened, approved, merged, undone.

let p: Awaited<ReturnType<typeof w.project>>
let page = ''
let at = ''
let developer: Awaited<ReturnType<typeof signedIn>>
let maintainer: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  page = `/${p.fullPath}/-/merge_requests`
  at = `/projects/${p.id}`
  developer = await signedIn(w)
  maintainer = await signedIn(w)
  await w.member(p.namespaceId, developer, 30)
  await w.member(p.namespaceId, maintainer, 40)
  await commit('main', undefined, {
    'README.md': '# Hello\n',
    '.gitlab/merge_request_templates/Default.md': 'What changes?\n',
    '.gitlab/merge_request_templates/Fix.md': 'What was broken?\n',
    '.gitlab/issue_templates/Bug.md': 'Steps:\n',
  })
})

const commit = (branch: string, start_branch: string | undefined, files: Readonly<Record<string, string>>) =>
  p.owner.post(`${at}/repository/commits`, {
    branch,
    start_branch,
    commit_message: 'Change files',
    actions: Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content })),
  })

const branchWith = async (branch: string): Promise<void> => {
  await commit(branch, 'main', { [`${branch}.txt`]: `${branch}\n` })
}

async function opened(branch: string): Promise<{ iid: number; page: string; api: string }> {
  await branchWith(branch)
  const asked = { source_branch: branch, target_branch: 'main', title: `Draft: ${branch}` }
  const { body } = await developer.user.post(`${at}/merge_requests`, asked)
  return { iid: body.iid, page: `${page}/${body.iid}`, api: `${at}/merge_requests/${body.iid}` }
}

const shown = async (who: typeof developer, path: string) => (await who.visitor.get(path, HERE)).text
async function checked(api: string, status: string): Promise<void> {
  await expect.poll(async () => (await p.owner.get(api)).body.detailed_merge_status).toBe(status)
}

test('what is wrong with something that the form does not show is said, too', async () => {
  const query = 'merge_request[source_branch]=main&merge_request[target_branch]=main'
  const wrong = await submit(developer.visitor, `${page}/new?${query}`, 'open', {
    title: 'To nowhere',
    source_branch: 'main',
    target_branch: '',
  })
  expect([wrong.status, /role="alert"[^>]*autofocus>\s*([^<]*?)\s*</.exec(wrong.text)?.[1]]).toEqual([
    400,
    'Target branch is empty.',
  ])
})

test('a branch becomes a merge request, with the template of the repository and what it would change', async () => {
  await branchWith('12-fix-the-door')
  const choose = await shown(developer, `${page}/new`)
  expect(choose).toContain('<option value="12-fix-the-door">')
  const query = 'merge_request[source_branch]=12-fix-the-door&merge_request[target_branch]=main'
  const form = await shown(developer, `${page}/new?${query}`)
  for (const part of ['value="Fix the door"', 'What changes?', '12-fix-the-door.txt'])
    expect(form).toContain(part)
  expect(await shown(developer, `${page}/new?${query}&issuable_template=Fix`)).toContain('What was broken?')
  const made = await submit(developer.visitor, `${page}/new?${query}`, 'open', {
    title: 'Fix the door',
    description: 'It was broken',
    source_branch: '12-fix-the-door',
    target_branch: 'main',
    remove_source_branch: 'true',
  })
  expect(made.headers.location).toMatch(/\/-\/merge_requests\/\d+$/)
  expect(await shown(developer, made.headers.location ?? '')).toContain('It was broken')
  expect(await shown(developer, `/${p.fullPath}/-/issues/new?issuable_template=Bug`)).toContain('Steps:')
  expect((await developer.visitor.get(`${page}/new?${query.replace('12-fix', 'no')}`, HERE)).status).toBe(404)
})

test('reviewers are chosen for a new merge request, and changed', async () => {
  await branchWith('reviewed')
  const query = 'merge_request[source_branch]=reviewed&merge_request[target_branch]=main'
  const offered = (id: number) => new RegExp(`name="reviewer_ids\\[\\]"[^>]*value="${id}"`)
  expect(await shown(developer, `${page}/new?${query}`)).toMatch(offered(maintainer.id))
  const made = await submit(developer.visitor, `${page}/new?${query}`, 'open', {
    title: 'Look at it',
    source_branch: 'reviewed',
    target_branch: 'main',
    'reviewer_ids[]': String(maintainer.id),
  })
  const one = made.headers.location ?? ''
  expect(await shown(developer, one)).toMatch(/Reviewers<\/dt>[^]*?title="@/)
  const api = `${at}/merge_requests/${one.split('/').at(-1)}`
  expect((await p.owner.get(api)).body.reviewers).toMatchObject([{ id: maintainer.id }])
  expect((await p.owner.get(api)).body.reviewers).toHaveLength(1)
  const text = await shown(developer, `${one}/edit`)
  expect(text).toMatch(new RegExp(`${offered(maintainer.id).source}[^>]*checked`))
  await submit(developer.visitor, `${one}/edit`, 'save', {
    title: 'Look at it',
    target_branch: 'main',
    'reviewer_ids[]': String(developer.id),
  })
  expect((await p.owner.get(api)).body.reviewers).toMatchObject([{ id: developer.id }])
})

test('another view of what would change is of the same branches, with the form', async () => {
  await branchWith('viewed')
  const query = 'merge_request[source_branch]=viewed&merge_request[target_branch]=main'
  const text = await shown(developer, `${page}/new?${query}&merge_request[title]=Look`)
  const [, other = ''] = /<a href="([^"]*)"[^>]*>Side by side</.exec(text) ?? []
  const aside = await shown(developer, other.replaceAll('&amp;', '&'))
  for (const part of ['Open the merge request', 'value="Look"', 'viewed.txt']) expect(aside).toContain(part)
  expect(aside).toMatch(/aria-current="page"[^>]*>\s*Side by side</)
})

test('a draft is marked as ready, approved, and merged; then it is reverted', async () => {
  const one = await opened('ready')
  await checked(one.api, 'draft_status')
  expect(await shown(developer, one.page)).toContain('Mark it as ready when it is.')
  await submit(developer.visitor, one.page, 'ready')
  await checked(one.api, 'mergeable')
  await submit(maintainer.visitor, one.page, 'approve')
  expect(await shown(developer, one.page)).toContain(`title="@${maintainer.username}"`)
  const [, sha = ''] = /name="sha" value="([^"]*)"/.exec(await shown(maintainer, one.page)) ?? []
  const merged = await submit(maintainer.visitor, one.page, 'merge', {
    sha,
    should_remove_source_branch: 'true',
  })
  expect(merged.status).toBe(303)
  const { body } = await p.owner.get(one.api)
  expect(body.state).toBe('merged')
  const text = await shown(developer, one.page)
  expect(text).toContain(`href="/${p.fullPath}/-/commit/${body.merge_commit_sha}"`)
  expect(text).toMatch(new RegExp(`Merged by</dt>[^]*?title="@${maintainer.username}"`))
  const reverted = await submit(maintainer.visitor, one.page, 'revert', { branch: 'main' })
  expect(reverted.headers.location).toMatch(/\/-\/commit\/[0-9a-f]{40}$/)
  expect((await p.owner.get(`${at}/repository/files/ready.txt?ref=main`)).status).toBe(404)
})

test('a merge of another commit than the one that was seen is refused, and the page shows why', async () => {
  const one = await opened('moved')
  await submit(developer.visitor, one.page, 'ready')
  await checked(one.api, 'mergeable')
  const stale = await submit(maintainer.visitor, one.page, 'merge', { sha: '0'.repeat(40) })
  expect(stale.status).toBe(409)
  expect(stale.text).toContain('SHA does not match HEAD of source branch')
  expect((await p.owner.get(one.api)).body.state).toBe('opened')
})

test('the files in which a merge request conflicts are named', async () => {
  const one = await opened('clashing')
  await submit(developer.visitor, one.page, 'ready')
  await commit('main', undefined, { 'clashing.txt': 'otherwise\n' })
  await checked(one.api, 'conflict')
  const named = '<li><code>clashing.txt</code></li>'
  expect(await shown(developer, one.page)).toContain(named)
  const { text } = await new Visitor(w.url).get(one.page, HERE)
  expect([text.includes('There are conflicts'), text.includes(named)]).toEqual([true, false])
})

test('a merge request takes time and has tasks', async () => {
  const one = await opened('timed')
  await developer.user.put(one.api, { description: '- [ ] look' })
  await submit(developer.visitor, one.page, 'spend', { duration: '30m' })
  const token = csrfTokenIn(await shown(developer, one.page))
  const tick = { authenticity_token: token, do: 'tick', task: '0', of: '1', done: 'true' }
  expect((await developer.visitor.post(one.page, tick, HERE)).status).toBe(303)
  expect((await p.owner.get(one.api)).body).toMatchObject({
    description: '- [x] look',
    time_stats: { total_time_spent: 1_800 },
  })
  expect(await shown(developer, one.page)).toContain('1 of 1 done')
})

test('what is offered follows from what somebody may do', async () => {
  const one = await opened('offered')
  await submit(developer.visitor, one.page, 'ready')
  await checked(one.api, 'mergeable')
  const reader = await signedIn(w)
  const ofReader = formsIn(await shown(reader, one.page)).filter((does) => !does.startsWith('react/'))
  expect(ofReader).toEqual(['subscribe', 'remember', 'comment', 'discuss'])
  expect(formsIn(await shown(developer, one.page))).not.toContain('merge')
  expect(formsIn(await shown(maintainer, one.page))).toEqual(
    expect.arrayContaining(['merge', 'close', 'approve', 'comment']),
  )
  await submit(developer.visitor, `${one.page}/edit`, 'save', {
    title: 'Other',
    description: '',
    target_branch: 'main',
  })
  expect((await p.owner.get(one.api)).body.title).toBe('Other')
  await submit(developer.visitor, one.page, 'close')
  await submit(developer.visitor, one.page, 'reopen')
  expect((await p.owner.get(one.api)).body.state).toBe('opened')
})
