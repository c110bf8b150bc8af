import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { addMilestone, react, titles } from '#planning/issues/test-support.ts'
import type { Actor, Place } from '#test/world.ts'
import { w } from '#test/world.ts'
import type { Client } from '#test/client.ts'
import { insertMergeRequests } from '#test/merge-requests.ts'

interface Given {
  readonly iid: number
  readonly title: string
  readonly author_id: number
  readonly [column: string]: string | number | boolean | null
}

/** Puts merge requests into a project, without a repository. @returns their ids, by their titles */
async function insert({ id }: Pick<Place, 'id'>, all: readonly Given[]): Promise<Map<string, number>> {
  for (const given of all) {
    const row = {
      project_id: id,
      source_project_id: id,
      source_branch: `branch-${given.iid}`,
      target_branch: 'main',
      head_sha: '0'.repeat(40),
      start_sha: '0'.repeat(40),
      changed_files: 1,
      created_at: `2030-01-0${given.iid}T00:00:00Z`,
      ...given,
    }
    await insertMergeRequests(
      w.db,
      sql`insert into merge_requests (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
        values (${sql.join(Object.values(row))})`,
    )
  }
  const rows = await w.db
    .selectFrom('merge_requests')
    .select(['id', 'title'])
    .where('project_id', '=', id)
    .execute()
  return new Map(rows.map(({ id: one, title }) => [title, one]))
}

/** One project for all: nobody changes its merge requests. */
let p: Awaited<ReturnType<typeof w.project>>
let upcoming: number

async function found(query: string, by: Actor = p.developer): Promise<string[]> {
  const answer = await by.get(`/projects/${p.id}/merge_requests?order_by=created_at&sort=asc&${query}`)
  expect({ query, status: answer.status, body: answer.status === 200 ? [] : answer.body }).toEqual({
    query,
    status: 200,
    body: [],
  })
  expect(answer.headers.get('x-total')).toBe(String(answer.body.length))
  return titles(answer)
}

const all = ['plain', 'login', 'Draft: docs', 'merged', 'closed']
const but = (...without: string[]) => all.filter((title) => !without.includes(title))

beforeAll(async () => {
  p = await w.project()
  upcoming = await addMilestone(p, { title: 'v2', start_date: '2040-01-01', due_date: '2040-02-01' })
  const made = await insert(p, [
    { iid: 1, title: 'plain', author_id: p.reporter.id },
    {
      iid: 2,
      title: 'login',
      description: 'Lets people sign in',
      author_id: p.owner.id,
      milestone_id: upcoming,
      upvotes: 3,
    },
    { iid: 3, title: 'Draft: docs', author_id: p.developer.id, target_branch: 'stable' },
    {
      iid: 4,
      title: 'merged',
      author_id: p.reporter.id,
      state: 'merged',
      merge_user_id: p.maintainer.id,
      merged_at: '2030-02-01T00:00:00Z',
    },
    { iid: 5, title: 'closed', author_id: p.reporter.id, state: 'closed', source_project_id: null },
  ])
  const of = (title: string) => made.get(title) ?? 0
  await sql`insert into merge_request_assignees (merge_request_id, user_id)
    values (${of('login')}, ${p.developer.id}), (${of('login')}, ${p.guest.id}), (${of('plain')}, ${p.developer.id})`.execute(
    w.db,
  )
  await sql`insert into merge_request_reviewers (merge_request_id, user_id, created_at)
    values (${of('login')}, ${p.maintainer.id}, now()), (${of('plain')}, ${p.developer.id}, now())`.execute(
    w.db,
  )
  const { body: bug } = await p.owner.post(`/projects/${p.id}/labels`, {
    name: 'bug',
    color: 'red',
    priority: 1,
  })
  const { body: urgent } = await p.owner.post(`/projects/${p.id}/labels`, { name: 'urgent', color: 'red' })
  await sql`insert into merge_request_labels (merge_request_id, label_id)
    values (${of('login')}, ${bug.id}), (${of('login')}, ${urgent.id}), (${of('merged')}, ${bug.id})`.execute(
    w.db,
  )
  await react(of('plain'), p.developer, 'thumbsup')
})

describe('filters of lists of merge requests', () => {
  test.each<[string, string[]]>([
    ['', all],
    ['state=all', all],
    ['state=opened', ['plain', 'login', 'Draft: docs']],
    ['state=closed', ['closed']],
    ['state=merged', ['merged']],
    ['state=locked', []],
    ['labels=bug', ['login', 'merged']],
    ['labels=bug,urgent', ['login']],
    ['labels=None', ['plain', 'Draft: docs', 'closed']],
    ['labels=gone', []],
    ['not[labels]=urgent', but('login')],
    ['milestone=v2', ['login']],
    ['milestone=None', but('login')],
    ['milestone=Upcoming', ['login']],
    ['not[milestone]=v2', but('login')],
    ['iids[]=2&iids[]=4', ['login', 'merged']],
    ['author_username=nobody', []],
    ['assignee_id=None', ['Draft: docs', 'merged', 'closed']],
    ['assignee_id=Any', ['plain', 'login']],
    ['reviewer_id=Any', ['plain', 'login']],
    ['reviewer_id=None', ['Draft: docs', 'merged', 'closed']],
    ['reviewer_username=nobody', []],
    ['my_reaction_emoji=thumbsup', ['plain']],
    ['my_reaction_emoji=None', but('plain')],
    ['not[my_reaction_emoji]=thumbsup', but('plain')],
    ['source_branch=branch-2', ['login']],
    ['source_branch=none', []],
    ['target_branch=stable', ['Draft: docs']],
    ['wip=yes', ['Draft: docs']],
    ['wip=no', but('Draft: docs')],
    ['search=sign', ['login']],
    ['search=sign&in=title', []],
    ['search=log&in=title', ['login']],
    ['created_after=2030-01-02T12:00:00Z', ['Draft: docs', 'merged', 'closed']],
    ['created_before=2030-01-02T12:00:00Z', ['plain', 'login']],
    ['updated_after=2030-01-04T00:00:00Z', ['merged', 'closed']],
    ['updated_before=2030-01-01T00:00:00Z', ['plain']],
    ['approved=yes', []],
    ['approved=no', all],
    ['approved_by_ids=Any', []],
    ['approved_by_ids=None', all],
    ['approver_ids=None', all],
    ['approver_ids=1', []],
    ['deployed_after=2020-01-01', []],
    ['environment=production', []],
    ['scope=all', all],
    ['scope=created_by_me', ['Draft: docs']],
    ['scope=assigned-to-me', ['plain', 'login']],
    ['scope=reviews_for_me', ['plain']],
    ['with_merge_status_recheck=true', all],
  ])('%s', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('by people, by id and by name', async () => {
    const { owner, developer, guest, maintainer, id } = p
    expect(await found(`author_id=${owner.id}`)).toEqual(['login'])
    expect(await found(`author_username=${owner.username}`)).toEqual(['login'])
    expect(await found(`not[author_id]=${owner.id}`)).toEqual(but('login'))
    expect(await found(`assignee_id=${guest.id}`)).toEqual(['login'])
    const both = `assignee_username[]=${developer.username}&assignee_username[]=${guest.username}`
    expect(await found(both)).toEqual(['login'])
    expect(await found(`not[assignee_username]=${guest.username}`)).toEqual(but('login'))
    expect(await found(`reviewer_id=${maintainer.id}`)).toEqual(['login'])
    expect(await found(`reviewer_username=${maintainer.username.toUpperCase()}`)).toEqual(['login'])
    expect(await found(`not[reviewer_id]=${maintainer.id}`)).toEqual(but('login'))
    expect(await found(`not[reviewer_username]=${maintainer.username}`)).toEqual(but('login'))
    expect(await found(`merge_user_id=${maintainer.id}`)).toEqual(['merged'])
    expect(await found(`merge_user_username=${maintainer.username}`)).toEqual(['merged'])
    expect(await found(`approved_by_usernames=${maintainer.username}`)).toEqual([])
    expect(await found(`source_project_id=${id}`)).toEqual(but('closed'))
  })

  test.each([
    'author_id=1&author_username=x',
    'reviewer_id=1&reviewer_username=x',
    'merge_user_id=1&merge_user_username=x',
    'state=open',
    'wip=maybe',
    'order_by=weight',
    `search=${'x'.repeat(1025)}`,
  ])('refuses %s', async (query) => {
    expect((await p.developer.get(`/projects/${p.id}/merge_requests?${query}`)).status).toBe(400)
  })

  test.each<[string, string[]]>([
    ['order_by=title&sort=asc', ['Draft: docs', 'closed', 'login', 'merged', 'plain']],
    ['order_by=merged_at', ['merged', 'closed', 'Draft: docs', 'login', 'plain']],
    ['order_by=popularity', ['login', 'closed', 'merged', 'Draft: docs', 'plain']],
    ['order_by=label_priority&sort=asc', ['login', 'merged', 'plain', 'Draft: docs', 'closed']],
    ['order_by=milestone_due&sort=asc', ['login', 'plain', 'Draft: docs', 'merged', 'closed']],
    ['order_by=priority&sort=asc', ['login', 'merged', 'plain', 'Draft: docs', 'closed']],
    ['order_by=updated_at&sort=asc', all],
    ['', all.toReversed()],
  ])('sorts by %s', async (query, expected) => {
    const list = `/projects/${p.id}/merge_requests?${query}`
    expect(titles(await p.developer.get(list))).toEqual(expected)
    expect(titles(await p.developer.get(`${list}&per_page=2&page=2`))).toEqual(expected.slice(2, 4))
    expect(titles(await p.developer.get(`/groups/${p.groupId}/merge_requests?${query}`))).toEqual(expected)
  })

  test('have no pages by keys', async () => {
    const path = `/projects/${p.id}/merge_requests?pagination=keyset&order_by=created_at&sort=asc`
    expect((await p.developer.get(path)).status).toBe(405)
  })

  test('shows few fields, or labels with all of theirs', async () => {
    const list = `/projects/${p.id}/merge_requests?iids[]=2`
    const [simple] = (await p.developer.get(`${list}&view=simple`)).body
    expect(Object.keys(simple).toSorted()).toEqual(
      [
        'created_at',
        'description',
        'id',
        'iid',
        'project_id',
        'state',
        'title',
        'updated_at',
        'web_url',
      ].toSorted(),
    )
    const [whole] = (await p.developer.get(`${list}&with_labels_details=true`)).body
    expect(whole).toMatchObject({
      labels: [{ name: 'bug', color: '#ff0000' }, { name: 'urgent' }],
      upvotes: 3,
    })
    const { subscribed: _, ...one } = (await p.developer.get(`/projects/${p.id}/merge_requests/2`)).body
    const [listed] = (await p.developer.get(list)).body
    // Reading one alone asks for a check of whether it can be merged.
    const { merge_status: _1, detailed_merge_status: _2, has_conflicts: _3, ...rest } = listed
    expect(one).toMatchObject(rest)
  })
})

describe('GET /merge_requests', () => {
  test('shows your own by default, and nothing without credentials', async () => {
    expect(titles(await p.developer.get('/merge_requests'))).toEqual(['Draft: docs'])
    expect(titles(await p.developer.get('/merge_requests?scope=reviews_for_me'))).toEqual(['plain'])
    expect((await w.anonymous.get('/merge_requests')).status).toBe(401)
    expect((await w.anonymous.get('/merge_requests?scope=all')).status).toBe(200)
  })
})

describe('who sees which merge requests in lists and totals', () => {
  const set = (id: number, settings: object) =>
    w.db
      .updateTable('projects')
      .set({ settings: sql`settings || ${JSON.stringify(settings)}::jsonb` })
      .where('id', '=', id)
      .execute()

  /** A group with projects of each visibility and feature level, each with one merge request. */
  async function tree() {
    const top = await w.group({ visibility: 'public' })
    const place = async (
      title: string,
      visibility: 'private' | 'internal' | 'public',
      settings: object = {},
    ) => {
      const project = await w.project({ parent: top.id, visibility })
      await set(project.id, settings)
      await insert(project, [{ iid: 1, title, author_id: top.owner.id }])
      return project
    }
    return {
      top,
      hidden: await place('hidden', 'private'),
      internal: await place('internal', 'internal'),
      shown: await place('shown', 'public'),
      members: await place('members', 'public', { merge_requests_access_level: 'private' }),
      codeless: await place('codeless', 'public', { repository_access_level: 'private' }),
      closed: await place('closed', 'public', { merge_requests_access_level: 'disabled' }),
      empty: await place('empty', 'public', { repository_access_level: 'disabled' }),
    }
  }

  test('goes by the visibility of the project and the levels of merge requests and the repository', async () => {
    const { top, hidden, internal, shown, members, codeless, closed, empty } = await tree()
    const external = await w.user({ external: true })
    const projects = { hidden, internal, shown, members, codeless, closed, empty }
    const cases: [string, Client, string[]][] = [
      ['anonymous', w.anonymous, ['shown']],
      ['a stranger', top.stranger, ['internal', 'shown']],
      ['an external user', external, ['shown']],
      ['a guest', top.guest, ['codeless', 'internal', 'members', 'shown']],
      ['a reporter', top.reporter, ['codeless', 'hidden', 'internal', 'members', 'shown']],
      ['the owner', top.owner, ['codeless', 'hidden', 'internal', 'members', 'shown']],
      ['an administrator', w.root, ['codeless', 'hidden', 'internal', 'members', 'shown']],
      ['a guest of the hidden project', hidden.guest, ['internal', 'shown']],
      ['a reporter of the hidden project', hidden.reporter, ['hidden', 'internal', 'shown']],
    ]
    for (const [who, by, expected] of cases) {
      for (const path of [
        `/groups/${top.id}/merge_requests?order_by=title&sort=asc`,
        `/groups/${top.id}/merge_requests?order_by=title&sort=asc&author_id=${top.owner.id}`,
        `/merge_requests?scope=all&author_id=${top.owner.id}&order_by=title&sort=asc`,
        `/merge_requests?scope=all&author_username=${top.owner.username}&order_by=title&sort=asc`,
      ]) {
        const answer = await by.get(path)
        expect({ who, path, titles: titles(answer), total: answer.headers.get('x-total') }).toEqual({
          who,
          path,
          titles: expected,
          total: String(expected.length),
        })
      }
      for (const [name, { id }] of Object.entries(projects)) {
        const { status, body } = await by.get(`/projects/${id}/merge_requests`)
        const sees = status === 200 && body.length === 1
        expect({ who, name, sees }).toEqual({ who, name, sees: expected.includes(name) })
        const hit = await by.get(`/merge_requests?scope=all&search=${name}&author_id=${top.owner.id}`)
        expect(hit.headers.get('x-total')).toBe(expected.includes(name) ? '1' : '0')
      }
    }
  })

  test('leaves out archived projects, unless asked', async () => {
    const { top, shown } = await tree()
    await shown.owner.post(`/projects/${shown.id}/archive`)
    const list = `/groups/${top.id}/merge_requests?sort=asc`
    expect(titles(await w.anonymous.get(list))).toEqual([])
    expect(titles(await w.anonymous.get(`${list}&non_archived=false`))).toEqual(['shown'])
    expect(titles(await w.anonymous.get(`/projects/${shown.id}/merge_requests`))).toEqual(['shown'])
  })

  test('goes by the scopes of the token', async () => {
    const { top, hidden } = await tree()
    const statuses = await Promise.all(
      (['read_api', 'read_user', 'read_repository'] as const).map(async (scope) => {
        const { client: token } = await w.token(top.owner, [scope])
        return (await token.get(`/projects/${hidden.id}/merge_requests`)).status
      }),
    )
    expect(statuses).toEqual([200, 403, 403])
  })
})
