import { describe, expect, test } from 'vitest'
import { unique } from '#test/world.ts'
import { onPremium, ids, open, own, withEpic } from './test-support.ts'

onPremium()

describe('POST /groups/:id/epics', () => {
  test('opens an epic with all its fields', async () => {
    const g = await own.group()
    const { status, body } = await g.planner.post(`/groups/${g.encoded}/epics`, {
      title: 'One year',
      description: 'All of it',
      labels: 'big, slow',
      color: 'crimson',
      start_date_is_fixed: true,
      start_date_fixed: '2026-01-01',
      due_date_fixed: '2026-12-31',
    })
    const url = `${own.url}/groups/${g.fullPath}/-/epics/1`
    const self = `${own.url}/api/v4/groups/${g.id}/epics/1`
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      work_item_id: body.id,
      iid: 1,
      group_id: g.id,
      parent_id: null,
      parent_iid: null,
      title: 'One year',
      description: 'All of it',
      confidential: false,
      author: expect.objectContaining({ id: g.planner.id, username: g.planner.username }),
      state: 'opened',
      web_url: url,
      reference: '&1',
      references: { short: '&1', relative: '&1', full: `${g.fullPath}&1` },
      start_date: '2026-01-01',
      start_date_is_fixed: true,
      start_date_fixed: '2026-01-01',
      start_date_from_inherited_source: null,
      start_date_from_milestones: null,
      end_date: null,
      due_date: null,
      due_date_is_fixed: false,
      due_date_fixed: '2026-12-31',
      due_date_from_inherited_source: null,
      due_date_from_milestones: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      closed_at: null,
      labels: ['big', 'slow'],
      upvotes: 0,
      downvotes: 0,
      color: '#dc143c',
      text_color: '#FFFFFF',
      imported: false,
      imported_from: 'none',
      subscribed: true,
      _links: {
        self,
        epic_issues: `${self}/issues`,
        group: `${own.url}/api/v4/groups/${g.id}`,
        parent: null,
      },
    })
  })

  test('numbers them in each group, without gaps, however many come at once', async () => {
    const [g, other] = [await own.group(), await own.group()]
    const made = await Promise.all(Array.from({ length: 8 }, () => open(g.planner, g)))
    expect(new Set(made.map(({ iid }) => iid))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]))
    expect((await open(other.planner, other)).iid).toBe(1)
  })

  test('lets owners alone set when it was made', async () => {
    const g = await own.group()
    const at = { created_at: '2020-02-02T02:02:02.000Z' }
    expect((await open(g.owner, g, at)).created_at).toBe(at.created_at)
    expect((await open(g.planner, g, at)).created_at).not.toBe(at.created_at)
  })

  test.each([
    [{}, 'title is missing'],
    [{ title: '' }, 'title is empty'],
    [{ title: 'a'.repeat(256) }, expect.stringContaining('title is too long')],
    [{ title: 'x', start_date_fixed: 'soon' }, 'start_date_fixed is invalid'],
  ])('refuses %j', async (json, error) => {
    const g = await own.group()
    const { status, body } = await g.planner.post(`/groups/${g.id}/epics`, json)
    expect([status, body.error]).toEqual([400, error])
  })

  test('refuses an unknown color, too many labels, and guests', async () => {
    const g = await own.group()
    const path = `/groups/${g.id}/epics`
    expect((await g.planner.post(path, { title: 'x', color: 'dark' })).body.message).toEqual({
      color: ['must be a valid color code'],
    })
    const labels = Array.from({ length: 101 }, (_, nth) => `label ${nth}`)
    expect((await g.planner.post(path, { title: 'x', labels })).status).toBe(400)
    expect((await g.guest.post(path, { title: 'x' })).status).toBe(403)
  })
})

describe('GET /groups/:id/epics/:epic_iid', () => {
  test('shows the dates behind the dates to those who may edit alone', async () => {
    const p = await withEpic({ visibility: 'public' })
    expect((await p.reporter.get(p.path)).body).toHaveProperty('start_date_is_fixed', false)
    for (const by of [p.guest, p.stranger])
      expect((await by.get(p.path)).body).not.toHaveProperty('start_date_is_fixed')
  })

  test('takes the number, not the id, and a user', async () => {
    const p = await withEpic({ visibility: 'public' })
    expect((await p.guest.get(p.byId)).status).toBe(404)
    expect((await p.anonymous.get(p.path)).status).toBe(401)
  })
})

describe('PUT /groups/:id/epics/:epic_iid', () => {
  test('changes what it is given', async () => {
    const p = await withEpic({}, { labels: 'one,two' })
    const { status, body } = await p.planner.put(p.path, {
      title: 'Another',
      description: 'More',
      add_labels: 'three',
      remove_labels: 'one',
      color: '#abcdef',
      confidential: true,
      due_date_is_fixed: true,
      due_date_fixed: '2027-01-01',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      title: 'Another',
      description: 'More',
      labels: ['three', 'two'],
      color: '#abcdef',
      confidential: true,
      due_date: '2027-01-01',
      end_date: '2027-01-01',
    })
    expect((await p.planner.put(p.path, { labels: null })).body.labels).toEqual([])
  })

  test('closes and reopens it', async () => {
    const p = await withEpic()
    const closed = await p.planner.put(p.path, { state_event: 'close' })
    expect(closed.body).toMatchObject({ state: 'closed', closed_at: expect.any(String) })
    const reopened = await p.planner.put(p.path, { state_event: 'reopen' })
    expect(reopened.body).toMatchObject({ state: 'opened', closed_at: null })
    const events = await p.guest.get(`${p.byId}/resource_state_events`)
    expect(events.body.map(({ state }: { state: string }) => state)).toEqual(['closed', 'reopened'])
  })

  test('refuses nothing, a stale precondition, and guests', async () => {
    const p = await withEpic()
    const empty = await p.planner.put(p.path, {})
    expect([empty.status, empty.body.error]).toEqual([400, expect.stringContaining('title')])
    const headers = { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' }
    expect((await p.planner.put(p.path, { title: 'x' }, { headers })).status).toBe(412)
    expect((await p.guest.put(p.path, { title: 'x' })).status).toBe(403)
  })
})

describe('DELETE /groups/:id/epics/:epic_iid', () => {
  test('hides it at once, frees its children, and keeps its number', async () => {
    const p = await withEpic()
    const child = await open(p.planner, p, { parent_id: p.epic.id })
    await p.guest.post(p.notes, { body: 'Hear' })
    expect((await p.maintainer.delete(p.path)).status).toBe(403)
    expect((await p.owner.delete(p.path)).status).toBe(204)
    expect((await p.owner.get(p.path)).status).toBe(404)
    expect((await p.owner.get(p.notes)).status).toBe(404)
    expect((await p.owner.get(`${p.collection}/${child.iid}`)).body.parent_id).toBeNull()
    expect((await open(p.planner, p)).iid).toBe(3)
    const left = () => own.db.selectFrom('epics').select('id').where('id', '=', p.epic.id).execute()
    await expect.poll(left).toEqual([])
  })
})

describe('GET /groups/:id/epics', () => {
  /** A group, one below it and one above, each with an epic. */
  async function family() {
    const above = await own.group()
    const g = await own.group({ parent: above.id })
    const below = await own.group({ parent: g.id })
    const [a, b, c] = [
      await open(above.planner, above),
      await open(g.planner, g, { labels: 'mine' }),
      await open(below.planner, below, { description: 'somewhere deep' }),
    ]
    return { above, g, below, ids: { above: a.id, own: b.id, below: c.id }, path: `/groups/${g.id}/epics` }
  }

  test('lists those of the group and below, or of the groups above too', async () => {
    const f = await family()
    const { above: a, own: o, below: b } = f.ids
    const by = f.above.guest
    expect(ids(await by.get(f.path))).toEqual([b, o])
    expect(ids(await by.get(`${f.path}?include_descendant_groups=false`))).toEqual([o])
    expect(ids(await by.get(`${f.path}?include_ancestor_groups=true&sort=asc`))).toEqual([a, o, b])
    const up = await by.get(`${f.path}?include_ancestor_groups=true&include_descendant_groups=false`)
    expect(ids(up)).toEqual([o, a])
    expect(up.headers.get('x-total')).toBe('2')
  })

  test('leaves out groups that the caller cannot see', async () => {
    const f = await family()
    expect(ids(await f.g.guest.get(`${f.path}?include_ancestor_groups=true`))).toContain(f.ids.own)
    // Members of something below a group see the group.
    expect(ids(await f.below.guest.get(f.path))).toEqual([f.ids.below, f.ids.own])
    const publicly = await own.group({ visibility: 'public' })
    const hidden = await own.group({ parent: publicly.id })
    const [seen] = [await open(publicly.planner, publicly), await open(hidden.planner, hidden)]
    const list = await publicly.stranger.get(`/groups/${publicly.id}/epics`)
    expect([ids(list), list.headers.get('x-total')]).toEqual([[seen.id], '1'])
  })

  test('filters', async () => {
    const g = await own.group()
    const path = `/groups/${g.id}/epics`
    const first = await open(g.planner, g, { title: 'Alpha', labels: 'a,b' })
    const second = await open(g.reporter, g, { title: 'Beta', description: 'Find me, please', labels: 'b' })
    const third = await open(g.owner, g, { title: 'Gamma', confidential: true })
    await g.planner.put(`${path}/${second.iid}`, { state_event: 'close' })
    await g.guest.post(`${path}/${first.iid}/award_emoji`, { name: 'tada' })
    const all = [first.id, second.id, third.id]
    const listed = async (query: string, by = g.planner) =>
      ids(await by.get(`${path}?sort=asc&${query}`)).map((id) => all.indexOf(id) + 1)
    expect(await listed('')).toEqual([1, 2, 3])
    expect(await listed(`author_id=${g.reporter.id}`)).toEqual([2])
    expect(await listed(`author_username=${g.owner.username}`)).toEqual([3])
    expect(await listed(`not[author_username]=${g.owner.username}`)).toEqual([1, 2])
    expect(await listed(`not[author_id]=${g.reporter.id}`)).toEqual([1, 3])
    expect(await listed('labels=a,b')).toEqual([1])
    expect(await listed('labels=b')).toEqual([1, 2])
    expect(await listed('labels=None')).toEqual([3])
    expect(await listed('labels=Any')).toEqual([1, 2])
    expect(await listed('labels=unknown')).toEqual([])
    expect(await listed('not[labels]=a')).toEqual([2, 3])
    expect(await listed('not[labels]=a,b')).toEqual([3])
    expect(await listed('state=opened')).toEqual([1, 3])
    expect(await listed('state=closed')).toEqual([2])
    expect(await listed('search=find')).toEqual([2])
    expect(await listed('search=GAM')).toEqual([3])
    expect(await listed('confidential=true')).toEqual([3])
    expect(await listed('iid=2')).toEqual([2])
    expect(await listed('iids[]=1&iids[]=3')).toEqual([1, 3])
    expect(await listed('my_reaction_emoji=tada', g.guest)).toEqual([1])
    expect(await listed('my_reaction_emoji=Any', g.guest)).toEqual([1])
    expect(await listed('my_reaction_emoji=None', g.guest)).toEqual([2])
    expect(await listed('not[my_reaction_emoji]=tada', g.guest)).toEqual([2])
    expect(await listed(`created_after=${third.created_at}`)).toContain(3)
    expect(await listed('created_before=2001-01-01')).toEqual([])
    expect(await listed('updated_after=2001-01-01')).toEqual([1, 2, 3])
    expect(await listed('updated_before=2001-01-01')).toEqual([])
    const details = await g.guest.get(`${path}?with_labels_details=true&iid=1`)
    expect(details.body[0].labels).toMatchObject([{ name: 'a' }, { name: 'b' }])
  })

  test('sorts, in pages', async () => {
    const g = await own.group()
    const [b, a, c] = [
      await open(g.planner, g, { title: 'b' }),
      await open(g.planner, g, { title: 'a' }),
      await open(g.planner, g, { title: 'c' }),
    ]
    const path = `/groups/${g.id}/epics`
    const listed = async (query: string) => ids(await g.guest.get(`${path}?${query}`))
    expect(await listed('order_by=title&sort=asc')).toEqual([a.id, b.id, c.id])
    expect(await listed('order_by=created_at')).toEqual([c.id, a.id, b.id])
    await g.planner.put(`${path}/${a.iid}`, { description: 'new' })
    expect((await listed('order_by=updated_at'))[0]).toBe(a.id)
    expect(await listed('order_by=title&sort=asc&per_page=1&page=2')).toEqual([b.id])
    expect((await g.guest.get(`${path}?pagination=keyset`)).status).toBe(405)
    expect((await g.guest.get(`${path}?order_by=weight`)).status).toBe(400)
    expect((await g.guest.get(`${path}?author_id=1&author_username=root`)).status).toBe(400)
  })
})

describe('confidential epics', () => {
  test('are for Planners and above, in lists, totals, notes, reactions and mentions', async () => {
    const p = await withEpic({ visibility: 'public' }, { confidential: true })
    for (const by of [p.planner, p.reporter, p.securityManager, p.developer, p.owner, p.admin])
      expect((await by.get(p.path)).status).toBe(200)
    const missing = await p.guest.get(`${p.collection}/999`)
    for (const by of [p.guest, p.stranger]) {
      const { status, body } = await by.get(p.path)
      expect([status, body]).toEqual([missing.status, missing.body])
      const list = await by.get(p.collection)
      expect([list.body, list.headers.get('x-total')]).toEqual([[], '0'])
      for (const path of [p.notes, `${p.byId}/discussions`, `${p.byId}/resource_state_events`])
        expect((await by.get(path)).body).toEqual({ message: '404 Epic Not Found' })
      expect((await by.get(`${p.path}/award_emoji`)).status).toBe(404)
    }
    const other = await open(p.planner, p)
    await p.planner.post(p.notes, { body: `See &${other.iid}` })
    const notes = `${p.collection}/${other.id}/notes`
    expect((await p.planner.get(notes)).body[0].body).toBe('mentioned in epic &1')
    expect((await p.guest.get(notes)).body).toEqual([])
  })

  test('have nothing open below them', async () => {
    const p = await withEpic({}, { confidential: true })
    const other = await open(p.planner, p)
    const below = await p.planner.post(`${p.path}/epics/${other.id}`)
    expect(below).toMatchObject({ status: 422, body: { message: expect.stringContaining('confidential') } })
    const made = await p.planner.post(`${p.path}/epics`, { title: 'Below' })
    expect(made.body).toMatchObject({ confidential: true, parent_id: p.epic.id })
    const opened = await p.planner.put(`${p.collection}/${made.body.iid}`, { confidential: false })
    expect([opened.status, opened.body.message]).toEqual([
      400,
      { confidential: ['cannot be removed from an epic below a confidential one'] },
    ])
    const parent = await open(p.planner, p)
    await open(p.planner, p, { parent_id: parent.id })
    expect((await p.planner.put(`${p.collection}/${parent.iid}`, { confidential: true })).status).toBe(400)
  })
})

test('without the plan, everybody gets 403, and an issue keeps its epic', async () => {
  const p = await withEpic({ visibility: 'public' })
  const free = await own.another(undefined, {}, 'free')
  try {
    const { headers } = p.owner
    const answer = await fetch(`${free.url}/api/v4${p.path}`, { headers })
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { message: '403 Forbidden - Epics needs premium' },
    ])
    expect((await fetch(`${free.url}/api/v4${p.notes}`, { headers })).status).toBe(403)
  } finally {
    await free.stop()
  }
})

test('an epic whose group moves keeps only what is above it now', async () => {
  const [from, to] = [await own.group(), await own.group()]
  const g = await own.group({ parent: from.id })
  const parent = await open(from.planner, from)
  await from.owner.post(`/groups/${from.id}/labels`, { name: unique('stray'), color: 'red' })
  const labels = (await from.guest.get(`/groups/${from.id}/labels`)).body.map(
    ({ name }: { name: string }) => name,
  )
  const epic = await open(from.planner, g, { labels: [...labels, 'own'], parent_id: parent.id })
  expect(epic).toMatchObject({ labels: expect.arrayContaining([...labels, 'own']), parent_id: parent.id })
  expect((await own.root.post(`/groups/${g.id}/transfer`, { group_id: to.id })).status).toBe(201)
  const moved = (await g.guest.get(`/groups/${g.id}/epics/${epic.iid}`)).body
  expect(moved).toMatchObject({ labels: ['own'], parent_id: null })
})
