import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { MAX_LISTS } from './limits.ts'
import {
  baseOf,
  kinds,
  made,
  makers,
  newBoard,
  newLabel,
  newMilestone,
  orderOf,
  withLists,
} from './test-support.ts'

describe.each(kinds)('lists of a board of a %s', (kind) => {
  test('are for a label, a person or a milestone', async () => {
    const place = await makers[kind]()
    const base = baseOf(kind, place)
    const [label, milestone] = [
      await newLabel(place.owner, base, 'Doing'),
      await newMilestone(place.owner, base),
    ]
    const { path } = await newBoard(place.planner, base)
    const limits = { max_issue_count: 0, max_issue_weight: 0, limit_metric: null }
    const add = async (json: object) => (await place.planner.post(`${path}/lists`, json)).body
    const ofLabel = await add({ label_id: label.id })
    expect(ofLabel).toEqual({
      id: expect.any(Number),
      label: expect.objectContaining({ id: label.id, name: 'Doing', color: '#ff0000' }),
      position: 0,
      ...limits,
    })
    const ofMilestone = await add({ milestone_id: milestone.id })
    expect(ofMilestone).toMatchObject({ label: null, milestone: { id: milestone.id }, position: 1 })
    const ofPerson = await add({ assignee_id: place.guest.id })
    expect(ofPerson).toMatchObject({ label: null, assignee: { id: place.guest.id }, position: 2 })
    const all = [ofLabel, ofMilestone, ofPerson]
    expect((await place.guest.get(`${path}/lists`)).body).toEqual(all)
    expect((await place.guest.get(path)).body.lists).toEqual(all)
    for (const list of all) expect((await place.guest.get(`${path}/lists/${list.id}`)).body).toEqual(list)
  })

  test('are for exactly one thing that can be used here, once', async () => {
    const [place, other] = [await makers[kind](), await makers[kind]()]
    const base = baseOf(kind, place)
    const label = await newLabel(place.owner, base)
    const strange = await newLabel(other.owner, baseOf(kind, other))
    const { path } = await newBoard(place.planner, base)
    const add = (json: object) => place.planner.post(`${path}/lists`, json)
    expect((await add({ label_id: label.id })).status).toBe(201)
    expect(await add({ label_id: label.id })).toMatchObject({
      status: 400,
      body: { message: { label_id: ['has already been taken'] } },
    })
    for (const given of [{}, { label_id: label.id, assignee_id: place.guest.id }])
      expect((await add(given)).status).toBe(400)
    expect(await add({ label_id: strange.id })).toMatchObject({
      status: 400,
      body: { message: 'Label not found!' },
    })
    expect(await add({ milestone_id: 0 })).toMatchObject({
      status: 400,
      body: { message: 'Milestone not found!' },
    })
    expect(await add({ assignee_id: other.guest.id })).toMatchObject({
      status: 400,
      body: { message: 'User not found!' },
    })
    expect(await orderOf(place.guest, path)).toHaveLength(1)
  })

  test('move to other positions, and those between make room', async () => {
    const place = await makers[kind]()
    const { path, lists } = await withLists(place.planner, baseOf(kind, place), 4)
    const [a, b, c, d] = lists
    const move = async (id: number | undefined, position: number) => {
      const { status, body } = await place.planner.put(`${path}/lists/${id}`, { position })
      expect([status, body.position]).toEqual([200, position])
      return orderOf(place.guest, path)
    }
    expect(await move(a, 2)).toEqual([b, c, a, d])
    expect(await move(d, 0)).toEqual([d, b, c, a])
    expect(await move(b, 1)).toEqual([d, b, c, a])
    expect(await move(d, 3)).toEqual([b, c, a, d])
    for (const position of [4, 2_147_483_647])
      expect(await place.planner.put(`${path}/lists/${a}`, { position })).toMatchObject({
        status: 400,
        body: { message: 'List could not be moved!' },
      })
    for (const json of [{}, { position: -1 }, { position: 'x' }])
      expect((await place.planner.put(`${path}/lists/${a}`, json)).status).toBe(400)
    expect(await orderOf(place.guest, path)).toEqual([b, c, a, d])
  })

  test('are taken off by DELETE, unless they changed, and leave no gap', async () => {
    const place = await makers[kind]()
    const { path, lists } = await withLists(place.planner, baseOf(kind, place), 3)
    const [a, b, c] = lists
    const early = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await place.planner.send('DELETE', `${path}/lists/${b}`, { headers: early })).status).toBe(412)
    const moving = { headers: early, json: { position: 0 } }
    expect((await place.planner.send('PUT', `${path}/lists/${b}`, moving)).status).toBe(412)
    const { status, text } = await place.planner.delete(`${path}/lists/${b}`)
    expect([status, text]).toEqual([204, ''])
    expect(await orderOf(place.guest, path)).toEqual([a, c])
    const missing = { status: 404, body: { message: '404 List Not Found' } }
    for (const answer of [
      await place.planner.get(`${path}/lists/${b}`),
      await place.planner.delete(`${path}/lists/${b}`),
      await place.planner.put(`${path}/lists/${b}`, { position: 0 }),
    ])
      expect(answer).toMatchObject(missing)
    expect((await place.planner.put(`${path}/lists/${c}`, { position: 0 })).status).toBe(200)
    expect(await orderOf(place.guest, path)).toEqual([c, a])
  })

  test('are those of their own board', async () => {
    const place = await makers[kind]()
    const base = baseOf(kind, place)
    const [one, other] = [await withLists(place.planner, base, 1), await newBoard(place.planner, base)]
    expect((await place.planner.get(`${other.path}/lists/${one.lists[0]}`)).status).toBe(404)
    expect((await place.planner.delete(`${other.path}/lists/${one.lists[0]}`)).status).toBe(404)
  })

  test('have a most', async () => {
    const place = await makers[kind]()
    const base = baseOf(kind, place)
    const { id, path, lists } = await withLists(place.planner, base, 1)
    await sql`with made as (
      insert into labels (namespace_id, name, color, created_at, updated_at)
      select l.namespace_id, 'more ' || n, l.color, l.created_at, l.updated_at
      from board_lists k join labels l on l.id = k.label_id, generate_series(2, ${MAX_LISTS}::integer) as n
      where k.id = ${lists[0] ?? 0} returning id, created_at)
      insert into board_lists (board_id, label_id, position, created_at, updated_at)
      select ${id}, id, row_number() over (), created_at, created_at from made`.execute(w.db)
    expect(await orderOf(place.guest, path)).toHaveLength(MAX_LISTS)
    const { id: label_id } = await newLabel(place.owner, base)
    expect(await place.planner.post(`${path}/lists`, { label_id })).toMatchObject({
      status: 400,
      body: { message: { list: [`cannot be added: ${MAX_LISTS} are the most`] } },
    })
  })

  test('go with their label, milestone or person, and scopes become wider', async () => {
    const place = await makers[kind]()
    const base = baseOf(kind, place)
    const milestone = await newMilestone(place.owner, base)
    const { path, lists } = await withLists(place.planner, base, 2)
    const leaver = await w.user()
    const namespace = kind === 'group' ? place.id : (await w.root.get(base)).body.namespace.id
    await w.member(namespace, leaver, 20)
    const scope = { milestone_id: milestone.id, assignee_id: leaver.id, labels: 'gone' }
    expect((await place.planner.put(path, scope)).status).toBe(200)
    await made(place.planner, `${path}/lists`, { milestone_id: milestone.id })
    await made(place.planner, `${path}/lists`, { assignee_id: leaver.id })
    const { body: first } = await place.guest.get(`${path}/lists/${lists[0]}`)
    for (const label of [first.label.id, 'gone'])
      expect((await place.owner.delete(`${base}/labels/${label}`)).status).toBe(204)
    await place.owner.delete(`${base}/milestones/${milestone.id}`)
    expect((await w.root.delete(`/users/${leaver.id}?hard_delete=true`)).status).toBe(204)
    await until(async () => expect(await orderOf(place.guest, path)).toEqual([lists[1]]))
    expect((await place.guest.get(path)).body).toMatchObject({ milestone: null, assignee: null, labels: [] })
  })
})

describe('at the same moment', () => {
  test('all get their list, each at a position of its own', async () => {
    const { id, planner, guest } = await w.project()
    const base = `/projects/${id}`
    const { path } = await newBoard(planner, base)
    const labels = await Promise.all(Array.from({ length: 20 }, () => newLabel(planner, base)))
    const answers = await Promise.all(
      labels.map((label) => planner.post(`${path}/lists`, { label_id: label.id })),
    )
    expect(answers.map(({ status }) => status)).toEqual(labels.map(() => 201))
    expect(await orderOf(guest, path)).toHaveLength(labels.length)
  })

  test('one of many gets the list of a label', async () => {
    const { id, planner, guest } = await w.project()
    const base = `/projects/${id}`
    const { path } = await newBoard(planner, base)
    const label = await newLabel(planner, base)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => planner.post(`${path}/lists`, { label_id: label.id })),
    )
    const having = (wanted: number) => answers.filter(({ status }) => status === wanted).length
    expect([having(201), having(400)]).toEqual([1, 9])
    expect(await orderOf(guest, path)).toHaveLength(1)
  })

  test('lists are moved, added and taken off, and keep one order', async () => {
    const { id, planner, guest, owner } = await w.project()
    const base = `/projects/${id}`
    const { path, lists } = await withLists(planner, base, 8)
    const more = await Promise.all(Array.from({ length: 4 }, () => newLabel(planner, base)))
    const { body } = await guest.get(`${path}/lists/${lists[0]}`)
    const answers = await Promise.all([
      ...lists.slice(2).map((list, n) => planner.put(`${path}/lists/${list}`, { position: n % 6 })),
      ...more.map((label) => planner.post(`${path}/lists`, { label_id: label.id })),
      planner.delete(`${path}/lists/${lists[1]}`),
      owner.delete(`${base}/labels/${body.label.id}`),
    ])
    expect(answers.map(({ status }) => status)).toEqual([
      ...Array(6).fill(200),
      ...Array(4).fill(201),
      204,
      204,
    ])
    const order = await orderOf(guest, path)
    expect(order.toSorted((one, other) => one - other).slice(0, 6)).toEqual(lists.slice(2))
    expect(order).toHaveLength(10)
  })
})
