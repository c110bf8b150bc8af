import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { type Answer, type Client, linkTo } from '#test/client.ts'
import { unique, w } from '#test/world.ts'
import { Issue } from './entity.ts'
import { addMilestone, setIssuesLevel, titles } from './test-support.ts'

type Project = Awaited<ReturnType<typeof w.project>>

const open = async ({ id, owner }: Pick<Project, 'id' | 'owner'>, title: string, given: object = {}) => {
  const { status, body } = await owner.post(`/projects/${id}/issues`, { title, ...given })
  expect(status).toBe(201)
  return body
}

/** A group with a private, an internal and a public project, each with an issue and a confidential one. */
async function tree() {
  const top = await w.group({ visibility: 'public' })
  const below = await w.group({ parent: top.id, visibility: 'public' })
  const [hidden, internal, shown] = [
    await w.project({ parent: below.id }),
    await w.project({ parent: top.id, visibility: 'internal' }),
    await w.project({ parent: below.id, visibility: 'public' }),
  ]
  for (const [name, project] of Object.entries({ hidden, internal, shown })) {
    await open(project, name)
    await open(project, `${name} secret`, { confidential: true })
  }
  return { top, below, hidden, internal, shown }
}

const secret = (...names: string[]) => names.flatMap((name) => [name, `${name} secret`])

describe('GET /projects/:id/issues', () => {
  test('shows every field, the newest first, with totals of what one may see', async () => {
    const p = await w.project({ visibility: 'public' })
    await open(p, 'first', { labels: 'b,a' })
    await open(p, 'secret', { confidential: true })
    await open(p, 'last')
    const answer = await p.guest.get(`/projects/${p.id}/issues`)
    expect(titles(answer)).toEqual(['last', 'first'])
    expect(answer.headers.get('x-total')).toBe('2')
    const [, first] = answer.body
    expect(Object.keys(first)).toEqual(Object.keys(Issue.properties).filter((key) => key !== 'task_status'))
    expect(first).toMatchObject({ labels: ['a', 'b'], references: { relative: '#1' } })
    expect(titles(await p.anonymous.get(`/projects/${p.encoded}/issues`))).toEqual(['last', 'first'])
    expect(titles(await p.planner.get(`/projects/${p.id}/issues`))).toEqual(['last', 'secret', 'first'])
    expect((await p.planner.head(`/projects/${p.id}/issues`)).headers.get('x-total')).toBe('3')
  })

  test('has the same total on each page, full or not, and past the end', async () => {
    const p = await w.project()
    for (const title of ['one', 'two', 'three']) await p.planner.post(`/projects/${p.id}/issues`, { title })
    const shown = async (page: number, per_page: number) => {
      const { body, headers } = await p.planner.get(
        `/projects/${p.id}/issues?page=${page}&per_page=${per_page}`,
      )
      return [body.length, headers.get('x-total'), headers.get('x-next-page')]
    }
    expect(await shown(1, 2)).toEqual([2, '3', '2'])
    expect(await shown(2, 2)).toEqual([1, '3', ''])
    expect(await shown(3, 2)).toEqual([0, '3', ''])
    expect(await shown(1, 3)).toEqual([3, '3', ''])
    expect(await shown(1, 20)).toEqual([3, '3', ''])
    expect(await shown(4, 20)).toEqual([0, '3', ''])
  })

  test('shows labels with all their fields when asked', async () => {
    const p = await w.project()
    await p.owner.post(`/projects/${p.id}/labels`, { name: 'bug', color: '#ff0000', description: '<b>' })
    await open(p, 'x', { labels: 'bug' })
    const { body } = await p.guest.get(`/projects/${p.id}/issues?with_labels_details=true`)
    expect(body[0].labels).toEqual([
      {
        id: expect.any(Number),
        name: 'bug',
        description: '<b>',
        description_html: '&lt;b&gt;',
        text_color: '#FFFFFF',
        color: '#ff0000',
        archived: false,
      },
    ])
  })

  test('shows nobody in particular no issue of theirs', async () => {
    const p = await w.project({ visibility: 'public' })
    await open(p, 'x')
    for (const filter of ['scope=created_by_me', 'scope=assigned_to_me', 'my_reaction_emoji=Any'])
      expect((await p.anonymous.get(`/projects/${p.id}/issues?${filter}`)).body).toEqual([])
  })
})

describe('GET /groups/:id/issues', () => {
  test('shows what is in and below the group and open to the caller', async () => {
    const { top, below, hidden, internal, shown } = await tree()
    const list = (by: Client, id = top.id) => by.get(`/groups/${id}/issues?sort=asc`).then(titles)
    expect(await list(top.planner)).toEqual(secret('hidden', 'internal', 'shown'))
    expect(await list(top.guest)).toEqual(['hidden', 'internal', 'shown'])
    expect(await list(w.root)).toEqual(secret('hidden', 'internal', 'shown'))
    expect(await list(top.stranger)).toEqual(['internal', 'shown'])
    expect(await list(top.anonymous)).toEqual(['shown'])
    expect(await list(hidden.planner)).toEqual([...secret('hidden'), 'internal', 'shown'])
    expect(await list(internal.owner, below.id)).toEqual(['shown'])
    expect(await list(shown.owner, below.id)).toEqual(secret('shown'))
    const external = await w.user({ external: true })
    await w.member(hidden.namespaceId, external, levels.guest)
    expect(await list(external)).toEqual(['hidden', 'shown'])
  })

  test('shows those who wrote or do a confidential one', async () => {
    const { top, shown } = await tree()
    const { stranger } = top
    await stranger.post(`/projects/${shown.id}/issues`, { title: 'mine', confidential: true })
    await shown.planner.put(`/projects/${shown.id}/issues/2`, { assignee_ids: [stranger.id] })
    expect(titles(await stranger.get(`/groups/${top.id}/issues?sort=asc`))).toEqual([
      'internal',
      ...secret('shown'),
      'mine',
    ])
  })

  test('names issues from the group on', async () => {
    const { top, below, internal } = await tree()
    const references = async (id: number) =>
      (await w.root.get(`/groups/${id}/issues?sort=asc`)).body.map(
        (issue: { references: { relative: string } }) => issue.references.relative,
      )
    const path = internal.fullPath.split('/').at(-1)
    expect(await references(top.id)).toContain(`${path}#1`)
    const first = (await references(top.id))[0]
    expect(first.startsWith(`${below.fullPath.split('/').at(-1)}/`)).toBe(true)
    expect((await references(below.id))[0]).toBe(first.split('/').at(-1))
  })

  test('leaves archived projects out unless asked, and those whose issues are off', async () => {
    const { top, hidden, internal, shown } = await tree()
    await hidden.owner.post(`/projects/${hidden.id}/archive`)
    await setIssuesLevel(shown.id, 'disabled')
    await setIssuesLevel(internal.id, 'private')
    const list = (by: Client, query = '') => by.get(`/groups/${top.id}/issues?sort=asc${query}`).then(titles)
    expect(await list(top.guest)).toEqual(['internal'])
    expect(await list(top.guest, '&non_archived=false')).toEqual(['hidden', 'internal'])
    expect(await list(top.stranger)).toEqual([])
    expect(await list(w.root, '&non_archived=false')).toEqual(secret('hidden', 'internal'))
  })

  test('offers no keyset pagination', async () => {
    const { id, guest } = await w.group()
    expect((await guest.get(`/groups/${id}/issues?pagination=keyset`)).status).toBe(405)
    expect((await guest.get('/issues?pagination=keyset')).status).toBe(405)
  })
})

describe('GET /issues', () => {
  test("shows one's own, or those one is assigned to, or all that one may see", async () => {
    const word = unique('word').replace('-', '')
    const { hidden, shown, top } = await tree()
    const { stranger } = top
    const mine = `${word} mine`
    await stranger.post(`/projects/${shown.id}/issues`, { title: mine })
    const theirs = await open(shown, `${word} theirs`, { assignee_ids: [stranger.id] })
    await open(hidden, `${word} hidden`)
    await open(shown, `${word} secret`, { confidential: true })
    const list = (by: Client, query: string) => by.get(`/issues?sort=asc&${query}`).then(titles)
    expect(await list(stranger, '')).toEqual([mine])
    expect(await list(stranger, 'scope=assigned_to_me')).toEqual([theirs.title])
    const all = `scope=all&search=${word}`
    expect(await list(stranger, all)).toEqual([mine, theirs.title])
    expect(await list(w.anonymous, all)).toEqual([mine, theirs.title])
    expect(await list(hidden.guest, all)).toEqual([mine, theirs.title, `${word} hidden`])
    expect(await list(w.root, all)).toHaveLength(4)
    const [row] = (await stranger.get('/issues')).body
    expect(row.references).toEqual({
      short: '#3',
      relative: `${shown.fullPath}#3`,
      full: `${shown.fullPath}#3`,
    })
  })

  test('shows nothing of a project that one left', async () => {
    const p = await w.project()
    await open(p, 'mine')
    expect(titles(await p.owner.get('/issues'))).toEqual(['mine'])
    await w.db.deleteFrom('members').where('user_id', '=', p.owner.id).execute()
    expect((await p.owner.get('/issues')).body).toEqual([])
    expect((await p.owner.get('/issues_statistics')).body.statistics.counts.all).toBe(0)
  })

  test('is for callers without credentials only with scope=all', async () => {
    for (const path of ['/issues', '/issues?scope=assigned_to_me', '/issues_statistics']) {
      const { status, body } = await w.anonymous.get(path)
      expect({ path, status, body }).toEqual({ path, status: 401, body: { message: '401 Unauthorized' } })
    }
    expect((await w.anonymous.get('/issues?scope=all')).status).toBe(200)
  })
})

describe('statistics', () => {
  test('count what the lists with the same filters show', async () => {
    const { top, shown } = await tree()
    await open(shown, 'closed', { labels: 'bug' })
    await shown.owner.put(`/projects/${shown.id}/issues/3`, { state_event: 'close' })
    const counts = async (by: Client, path: string) => (await by.get(path)).body.statistics.counts
    expect((await shown.owner.get(`/projects/${shown.id}/issues_statistics`)).body).toEqual({
      statistics: { counts: { all: 3, closed: 1, opened: 2 } },
    })
    expect(await counts(top.guest, `/projects/${shown.id}/issues_statistics`)).toEqual({
      all: 2,
      closed: 1,
      opened: 1,
    })
    expect(await counts(top.guest, `/groups/${top.id}/issues_statistics`)).toMatchObject({
      all: 4,
      closed: 1,
    })
    expect(await counts(top.stranger, `/groups/${top.id}/issues_statistics?labels=bug`)).toMatchObject({
      all: 1,
      opened: 0,
    })
    expect(await counts(shown.owner, '/issues_statistics')).toEqual({ all: 3, closed: 1, opened: 2 })
    expect(await counts(shown.owner, '/issues_statistics?not[labels]=bug')).toMatchObject({ all: 2 })
    expect((await shown.owner.get('/issues_statistics?scope=mine')).status).toBe(400)
  })
})

describe('orders', () => {
  /** Issues 1 to 4 of which the last has nothing to be ordered by. */
  async function ordered() {
    const p = await w.project()
    const soon = await addMilestone(p, { due_date: '2030-01-01' })
    const late = await addMilestone(p, { due_date: '2031-01-01' })
    for (const [name, priority] of [
      ['high', 1],
      ['low', 9],
    ])
      await p.owner.post(`/projects/${p.id}/labels`, { name, color: 'red', priority })
    const at = (day: number) => ({ created_at: `2030-01-0${day}` })
    await open(p, 'b', { ...at(2), weight: 5, due_date: '2030-03-01', labels: 'low', milestone_id: soon })
    await open(p, 'c', {
      ...at(1),
      weight: 1,
      due_date: '2030-01-01',
      labels: 'low,high',
      milestone_id: late,
    })
    await open(p, 'a', { ...at(4), weight: 3, due_date: '2030-02-01', labels: 'high', milestone_id: soon })
    await open(p, 'd', at(3))
    for (const [iid, relative_position, upvotes] of [
      [1, 30, 1],
      [2, 20, 3],
      [3, 10, 2],
    ] as const)
      await w.db
        .updateTable('issues')
        .set({ relative_position, upvotes })
        .where('project_id', '=', p.id)
        .where('iid', '=', iid)
        .execute()
    await p.owner.put(`/projects/${p.id}/issues/1`, { description: 'changed', updated_at: '2035-01-01' })
    return p
  }

  test('go both ways, and issues without a value come last', async () => {
    const p = await ordered()
    const by = async (order: string, path = `/projects/${p.id}`) => {
      const [asc, desc] = await Promise.all(
        ['asc', 'desc'].map((sort) => p.guest.get(`${path}/issues?order_by=${order}&sort=${sort}`)),
      )
      return [asc, desc].map((answer) => answer && titles(answer).join(''))
    }
    for (const path of [`/projects/${p.id}`, `/groups/${p.groupId}`]) {
      expect(await by('created_at', path)).toEqual(['cbda', 'adbc'])
      expect(await by('updated_at', path)).toEqual(['cdab', 'badc'])
      expect(await by('title', path)).toEqual(['abcd', 'dcba'])
      expect(await by('id', path)).toEqual(['bcad', 'dacb'])
      expect(await by('weight', path)).toEqual(['cabd', 'bacd'])
      expect(await by('due_date', path)).toEqual(['cabd', 'bacd'])
      expect(await by('relative_position', path)).toEqual(['acbd', 'bcad'])
      expect(await by('popularity', path)).toEqual(['dbac', 'cabd'])
      expect(await by('label_priority', path)).toEqual(['cabd', 'bacd'])
      expect(await by('milestone_due', path)).toEqual(['bacd', 'cabd'])
      expect(await by('priority', path)).toEqual(['abcd', 'cbad'])
    }
  })

  /** What all pages show, and what the pages before each of them show. */
  async function pagesOf(by: Client, list: string): Promise<{ seen: string[]; before: string[] }> {
    const seen: string[] = []
    const before: string[] = []
    let page: string | undefined = list
    while (page !== undefined) {
      const answer: Answer = await by.get(page)
      expect(answer.headers.get('x-total')).toBeNull()
      seen.push(...titles(answer))
      const cursor = answer.headers.get('x-prev-cursor')
      if (cursor !== null) before.push(...titles(await by.get(`${list}&cursor=${cursor}`)))
      page = linkTo('next', answer)
    }
    return { seen, before }
  }

  test.each(['created_at', 'updated_at', 'title', 'id', 'weight', 'due_date', 'relative_position'])(
    'pages by keys show every issue once: %s',
    async (order) => {
      const p = await ordered()
      await w.db
        .updateTable('namespaces')
        .set({ visibility: 'public' })
        .where('id', 'in', [p.groupId, p.namespaceId])
        .execute()
      for (const sort of ['asc', 'desc']) {
        const list = `/projects/${p.id}/issues?order_by=${order}&sort=${sort}`
        const all = titles(await p.guest.get(list))
        for (const [by, size] of [
          [p.guest, 1],
          [p.anonymous, 3],
          [p.guest, 4],
        ] as const) {
          const pages = await pagesOf(by, `${list}&pagination=keyset&per_page=${size}`)
          expect(pages).toEqual({ seen: all, before: size === 4 ? [] : all.slice(0, 3) })
        }
      }
    },
  )

  test('pages by keys are offered for the columns of issues alone', async () => {
    const p = await ordered()
    const keyset = (query: string) => p.guest.get(`/projects/${p.id}/issues?pagination=keyset${query}`)
    expect(titles(await keyset(''))).toEqual(['a', 'd', 'b', 'c'])
    for (const order of ['popularity', 'priority', 'label_priority', 'milestone_due'])
      expect((await keyset(`&order_by=${order}`)).status).toBe(405)
    for (const cursor of ['x', 'W10', Buffer.from('["soon",1,"n","weight","desc"]').toString('base64url')])
      expect((await keyset(`&order_by=weight&cursor=${cursor}`)).status).toBe(400)
  })

  test('the limit of offsets leads to keyset pages', async () => {
    const p = await w.project()
    const answer = await p.guest.get(`/projects/${p.id}/issues?page=600&per_page=100`)
    expect(answer.status).toBe(405)
    expect(answer.body.error).toMatch(
      /objects of type Issue\. Remaining records can be retrieved using keyset/,
    )
  })
})
