import { beforeAll, describe, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'
import { namesOf, rareWord, searchFor } from './test-support.ts'

const licensed = await w.licensed()
const onLicensed = ({ headers }: Client) => new Client(licensed.url, headers)

const word = rareWord()
let p: Awaited<ReturnType<typeof branchedProject>>
let inProject: string
let inGroup: string

beforeAll(async () => {
  p = await branchedProject({ path: `p-${word}` })
  inProject = `/projects/${p.id}`
  inGroup = `/groups/${p.groupId}`
  const issues = `${inProject}/issues`
  await p.reporter.post(issues, { title: `Open ${word}` })
  await p.reporter.post(issues, { title: 'Described', description: `About ${word}` })
  const { body: closed } = await p.reporter.post(issues, { title: `Closed ${word}` })
  await p.planner.put(`${issues}/${closed.iid}`, { state_event: 'close' })
  await p.planner.post(issues, { title: `Secret ${word}`, confidential: true })
  const { body: noted } = await p.reporter.post(issues, { title: 'Noted' })
  await p.reporter.post(`${issues}/${noted.iid}/notes`, { body: `Aloud ${word}` })
  await p.planner.post(`${issues}/${noted.iid}/notes`, { body: `Inside ${word}`, internal: true })
  const { body: hidden } = await p.planner.post(issues, { title: 'Hidden', confidential: true })
  await p.planner.post(`${issues}/${hidden.iid}/notes`, { body: `Below ${word}` })
  await openMergeRequest(p, p.developer, { title: `Merge ${word}` })
  await p.planner.post(`${inProject}/milestones`, { title: `Milestone ${word}` })
  const snippet = { title: `Snippet ${word}`, visibility: 'private', file_name: 'a', content: 'b' }
  await p.developer.post(`${inProject}/snippets`, snippet)
  await w.member(p.groupId, p.guest, 10)
  await w.member(p.groupId, p.planner, 15)
  await w.member(p.groupId, p.reporter, 20)
  await onLicensed(p.planner).post(`${inGroup}/epics`, { title: `Epic ${word}` })
})

describe('what everybody who may read finds', () => {
  test.each([
    ['projects', [`p-${word}`]],
    ['issues', [`Closed ${word}`, 'Described', `Open ${word}`]],
    ['merge_requests', [`Merge ${word}`]],
    ['milestones', [`Milestone ${word}`]],
    ['snippet_titles', [`Snippet ${word}`]],
  ])('%s', async (scope, expected) => {
    // In a private project, reading code and merge requests takes a Reporter.
    for (const at of ['', inGroup, inProject]) {
      if (at === inProject && ['projects', 'snippet_titles'].includes(scope)) continue
      const found = await searchFor(scope === 'merge_requests' ? p.reporter : p.guest, at, scope, word)
      expect({ at, names: namesOf(found) }).toEqual({ at, names: expected })
      expect([found.status, found.headers.get('x-total')]).toEqual([200, String(expected.length)])
    }
    expect(namesOf(await searchFor(p.stranger, '', scope, word))).toEqual([])
  })

  test('epics, where the plan has them', async () => {
    for (const at of ['', inGroup]) {
      const refused = await searchFor(p.guest, at, 'epics', word)
      expect([refused.status, refused.body.message]).toEqual([403, '403 Forbidden - Epics needs premium'])
      expect(namesOf(await searchFor(onLicensed(p.guest), at, 'epics', word))).toEqual([`Epic ${word}`])
    }
    expect(namesOf(await searchFor(onLicensed(p.stranger), '', 'epics', word))).toEqual([])
    await onLicensed(p.planner).post(`${inGroup}/epics`, { title: `Sealed ${word}`, confidential: true })
    expect(namesOf(await searchFor(onLicensed(p.guest), inGroup, 'epics', 'sealed'))).toEqual([])
    expect(namesOf(await searchFor(onLicensed(p.planner), inGroup, 'epics', 'sealed'))).toHaveLength(1)
  })

  test('users: of the instance, of a group, of a project', async () => {
    const { username } = p.guest
    for (const at of ['', inGroup, inProject]) {
      const found = await searchFor(p.reporter, at, 'users', username)
      expect([at, namesOf(found)]).toEqual([at, [username]])
    }
    expect(namesOf(await searchFor(p.reporter, inProject, 'users', p.stranger.username))).toEqual([])
    expect(namesOf(await searchFor(p.reporter, '', 'users', p.stranger.username))).toHaveLength(1)
  })

  test('notes of a project', async () => {
    const { body } = await searchFor(p.guest, inProject, 'notes', word)
    expect(body).toEqual([
      expect.objectContaining({
        body: `Aloud ${word}`,
        noteable_type: 'Issue',
        noteable_iid: 5,
        project_id: p.id,
        author: expect.objectContaining({ username: p.reporter.username }),
      }),
    ])
    const all = (await searchFor(p.planner, inProject, 'notes', word.toUpperCase(), '&sort=asc')).body
    expect(all.map((note: { body: string }) => note.body)).toEqual(
      ['Aloud', 'Inside', 'Below'].map((one) => `${one} ${word}`),
    )
  })
})

describe('what callers may not read is not found', () => {
  test('confidential issues', async () => {
    const secret = (by: Client, more = '') => searchFor(by, inProject, 'issues', `secret ${word}`, more)
    expect(namesOf(await secret(p.planner))).toEqual([`Secret ${word}`])
    const { body, headers } = await secret(p.guest)
    expect([body, headers.get('x-total')]).toEqual([[], '0'])
    expect(namesOf(await secret(p.planner, '&confidential=false'))).toEqual([])
    expect(namesOf(await secret(p.planner, '&confidential=true'))).toHaveLength(1)
  })

  test('private projects and groups', async () => {
    for (const at of [inProject, inGroup])
      expect((await searchFor(p.stranger, at, 'issues', word)).status).toBe(404)
  })

  test('what needs a role, and project features that are closed', async () => {
    for (const scope of ['merge_requests', 'commits', 'blobs'])
      expect((await searchFor(p.guest, inProject, scope, word)).body).toEqual([])
    const closed = await w.project({ visibility: 'public' })
    const at = `/projects/${closed.id}`
    const rare = rareWord()
    const { body: issue } = await closed.reporter.post(`${at}/issues`, { title: rare })
    await closed.reporter.post(`${at}/issues/${issue.iid}/notes`, { body: rare })
    await closed.planner.post(`${at}/milestones`, { title: rare })
    const scopes = ['issues', 'notes', 'milestones']
    const found = async (by: Client, below: string) => {
      const here = below === at ? scopes : ['issues', 'milestones']
      const answers = await Promise.all(here.map((scope) => searchFor(by, below, scope, rare)))
      return answers.map(({ body }) => body.length)
    }
    expect(await found(closed.stranger, at)).toEqual([1, 1, 1])
    expect(await found(closed.stranger, '')).toEqual([1, 1])
    const off = { issues_access_level: 'disabled', merge_requests_access_level: 'disabled' }
    await closed.maintainer.put(at, off)
    expect(await found(closed.stranger, at)).toEqual([0, 0, 0])
    expect(await found(closed.stranger, '')).toEqual([0, 0])
    expect(await found(closed.maintainer, `/groups/${closed.groupId}`)).toEqual([0, 0])
  })
})

describe('parameters', () => {
  test('state, order and pages', async () => {
    const names = async (more: string, scope = 'issues') =>
      namesOf(await searchFor(scope === 'issues' ? p.guest : p.reporter, '', scope, word, more))
    expect(await names('&state=closed')).toEqual([`Closed ${word}`])
    expect(await names('&state=opened&order_by=created_at&sort=asc')).toEqual([`Open ${word}`, 'Described'])
    expect(await names('&state=merged')).toEqual([])
    expect(await names('&state=all&fields=title')).toEqual([`Closed ${word}`, `Open ${word}`])
    expect(await names('&state=opened', 'merge_requests')).toHaveLength(1)
    expect(await names('&state=merged', 'merge_requests')).toEqual([])
    const page = await searchFor(p.guest, '', 'issues', word, '&per_page=1&page=2')
    expect([namesOf(page), page.headers.get('x-total-pages')]).toEqual([['Described'], '3'])
    expect(page.headers.get('link')).toContain(
      `/search?scope=issues&search=${word}&page=3&per_page=1>; rel="next"`,
    )
    const { status } = await searchFor(p.reporter, '', 'issues', word, '&pagination=keyset')
    expect(status).toBe(405)
  })

  test.each([['notes'], ['commits'], ['blobs'], ['wiki_blobs']])(
    '%s are only searched for in a project',
    async (scope) => {
      for (const at of ['', inGroup]) {
        const { status, body } = await searchFor(p.admin, at, scope, word)
        expect([status, body.error]).toEqual([
          400,
          `scope can be ${scope} only in the search of a project: GET /projects/:id/search`,
        ])
      }
    },
  )

  test('refuses scopes that are missing or unknown, and texts that cannot be', async () => {
    const errorOf = async (query: string, at = '') => {
      const { status, body } = await p.admin.get(`${at}/search?${query}`)
      return [status, body.error]
    }
    expect(await errorOf('search=a')).toEqual([400, 'scope is missing'])
    expect(await errorOf('scope=issues')).toEqual([400, 'search is missing'])
    expect(await errorOf('scope=people&search=a')).toEqual([400, 'scope does not have a valid value'])
    for (const scope of ['projects', 'epics', 'snippet_titles'])
      expect((await errorOf(`scope=${scope}&search=a`, inProject))[0]).toBe(400)
    expect((await errorOf('scope=issues&search='))[0]).toBe(400)
    expect((await errorOf(`scope=issues&search=${'a'.repeat(1_025)}`))[0]).toBe(400)
    expect((await errorOf(`scope=issues&search=${'a'.repeat(10_000)}`))[0]).toBe(414)
    expect((await errorOf('scope=issues&search=a%00b'))[0]).toBe(400)
    expect((await errorOf('scope=issues&search=a&search_type=advanced'))[0]).toBe(400)
    expect((await p.anonymous.get('/search?scope=projects&search=a')).status).toBe(401)
  })

  test.each([['%'], ['_'], ['\\'], [`' or "1"=1 --\n*:* & |`]])(
    '%j is searched for as it is',
    async (search) => {
      const scopes = ['issues', 'merge_requests', 'milestones', 'users']
      const everywhere = ['projects', 'snippet_titles', ...scopes]
      const here = ['notes', 'commits', 'blobs', 'wiki_blobs', ...scopes]
      const answers = await Promise.all([
        ...everywhere.map((scope) => searchFor(p.stranger, '', scope, search)),
        ...here.map((scope) => searchFor(p.maintainer, inProject, scope, search)),
      ])
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      for (const { body } of answers.slice(everywhere.length)) expect(body).toEqual([])
    },
  )

  test('some clients write a dash', async () => {
    for (const at of [inProject, inGroup]) {
      const found = await searchFor(p.admin, `${at}/-`, 'milestones', word)
      expect(namesOf(found)).toEqual([`Milestone ${word}`])
    }
  })
})

test('a setting limits how often a user searches', async () => {
  const user = await w.user()
  await p.admin.put('/application/settings', { search_rate_limit: 2 })
  try {
    const statuses: number[] = []
    for (let made = 0; made < 3; made += 1) statuses.push((await searchFor(user, '', 'users', word)).status)
    expect(statuses).toEqual([200, 200, 429])
    await p.admin.put('/application/settings', { search_rate_limit_allowlist: [user.username.toUpperCase()] })
    expect((await searchFor(user, '', 'users', word)).status).toBe(200)
  } finally {
    await p.admin.put('/application/settings', { search_rate_limit: 300, search_rate_limit_allowlist: [] })
  }
})
