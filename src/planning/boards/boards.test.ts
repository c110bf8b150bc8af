import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { until } from '#test/until.ts'
import { unique, w } from '#test/world.ts'
import { MAX_BOARDS } from './limits.ts'
import { baseOf, kinds, made, makers, newBoard, newLabel, newMilestone } from './test-support.ts'

describe.each(kinds)('boards of a %s', (kind) => {
  test('are made with a name alone, and have every field', async () => {
    const place = await makers[kind]()
    const base = baseOf(kind, place)
    const name = unique('board')
    const { status, body } = await place.planner.post(`${base}/boards`, { name: ` ${name} ` })
    const home =
      kind === 'project'
        ? {
            project: expect.objectContaining({ id: place.id, path_with_namespace: place.fullPath }),
            group: null,
          }
        : {
            project: null,
            group: { id: place.id, name: expect.any(String), web_url: `${w.url}/groups/${place.fullPath}` },
          }
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        name,
        hide_backlog_list: false,
        hide_closed_list: false,
        ...home,
        milestone: null,
        assignee: null,
        labels: [],
        weight: null,
        lists: [],
      },
    ])
    expect((await place.guest.get(`${base}/boards/${body.id}`)).body).toEqual(body)
    expect((await place.guest.get(`${base}/boards`)).body).toEqual([body])
  })

  test('may be about a milestone, a person, labels and a weight', async () => {
    const place = await makers[kind]()
    const base = baseOf(kind, place)
    const milestone = await newMilestone(place.owner, base)
    await newLabel(place.owner, base, 'known')
    const scope = {
      milestone_id: milestone.id,
      assignee_id: place.guest.id,
      weight: 3,
      hide_closed_list: true,
    }
    const board = await newBoard(place.planner, base, { ...scope, labels: 'known,new' })
    const { body } = await place.guest.get(board.path)
    expect(body).toMatchObject({
      milestone: { id: milestone.id },
      assignee: { id: place.guest.id },
      labels: [{ name: 'known' }, { name: 'new' }],
      weight: 3,
      hide_backlog_list: false,
      hide_closed_list: true,
    })
    expect(body.milestone).not.toHaveProperty('description')
  })

  test('change by PUT what is given, and nothing else', async () => {
    const place = await makers[kind]()
    const base = baseOf(kind, place)
    const milestone = await newMilestone(place.owner, base)
    const { path } = await newBoard(place.planner, base, { labels: ['a', 'b'] })
    const change = async (given: object) => {
      const { status, body } = await place.planner.put(path, given)
      expect([given, status]).toEqual([given, 200])
      expect((await place.guest.get(path)).body).toEqual(body)
      return body
    }
    const before = await change({})
    const name = unique('board')
    expect(await change({ name, hide_backlog_list: true })).toEqual({
      ...before,
      name,
      hide_backlog_list: true,
    })
    const scoped = await change({
      milestone_id: milestone.id,
      assignee_id: place.owner.id,
      weight: 0,
      labels: 'b,c',
    })
    expect(scoped).toMatchObject({
      name,
      milestone: { id: milestone.id },
      assignee: { id: place.owner.id },
      weight: 0,
    })
    expect(scoped.labels.map((label: { name: string }) => label.name)).toEqual(['b', 'c'])
    expect(await change({ milestone_id: 0, assignee_id: null, weight: null, labels: '' })).toMatchObject({
      milestone: null,
      assignee: null,
      weight: null,
      labels: [],
    })
  })

  test('refuse what is not there', async () => {
    const [place, other] = [await makers[kind](), await makers[kind]()]
    const base = baseOf(kind, place)
    const elsewhere = {
      milestone_id: (await newMilestone(other.owner, baseOf(kind, other))).id,
      assignee_id: other.guest.id,
    }
    const { path } = await newBoard(place.planner, base)
    const sentences = { milestone_id: 'Milestone not found!', assignee_id: 'User not found!' }
    for (const [key, value] of Object.entries(elsewhere))
      for (const id of [value, 999_999_999]) {
        const message = sentences[key === 'milestone_id' ? key : 'assignee_id']
        const given = { [key]: id }
        expect(await place.planner.put(path, given)).toMatchObject({ status: 400, body: { message } })
        const answer = await place.planner.post(`${base}/boards`, { name: 'x', ...given })
        expect(answer).toMatchObject({ status: 400, body: { message } })
      }
    for (const given of [
      {},
      { name: '' },
      { name: ' ' },
      { name: 'x'.repeat(256) },
      { name: 'x', weight: -1 },
    ])
      expect([given, (await place.planner.post(`${base}/boards`, given)).status]).toEqual([given, 400])
    const many = Array.from({ length: 21 }, (_, n) => `label-${n}`)
    expect((await place.planner.put(path, { labels: many })).status).toBe(400)
    expect((await place.guest.get(`${base}/boards`)).body).toHaveLength(1)
  })

  test('are found by their id in their own place only', async () => {
    const [place, other] = [await makers[kind](), await makers[kind]()]
    const { id, path } = await newBoard(place.planner, baseOf(kind, place))
    const missing = { status: 404, body: { message: '404 Board Not Found' } }
    for (const elsewhere of [
      `${baseOf(kind, other)}/boards/${id}`,
      `${baseOf(kind, place)}/boards/${id + 10_000}`,
    ]) {
      for (const answer of [
        await w.root.get(elsewhere),
        await w.root.put(elsewhere, { name: 'x' }),
        await w.root.delete(elsewhere),
        await w.root.get(`${elsewhere}/lists`),
      ])
        expect(answer).toMatchObject(missing)
    }
    expect((await place.guest.get(path)).status).toBe(200)
  })

  test('are listed as they were made, on pages, and cost the same statements for many', async () => {
    const place = await makers[kind]()
    const base = baseOf(kind, place)
    const list = async () => void (await place.guest.get(`${base}/boards?per_page=100`))
    const milestone = await newMilestone(place.owner, base)
    const first = await newBoard(place.planner, base, { milestone_id: milestone.id, labels: 'a' })
    await list()
    const one = await w.statements(list)
    await sql`insert into boards (namespace_id, name, created_at, updated_at)
      select namespace_id, 'more', created_at, updated_at from boards, generate_series(2, ${MAX_BOARDS}::integer)
      where id = ${first.id}`.execute(w.db)
    const { body, headers } = await place.guest.get(`${base}/boards?per_page=2&page=1`)
    expect([body[0].id, body.length, headers.get('x-total')]).toEqual([first.id, 2, String(MAX_BOARDS)])
    expect(await w.statements(list)).toEqual(one)
    const refused = await place.planner.post(`${base}/boards`, { name: 'one more' })
    expect(refused).toMatchObject({
      status: 400,
      body: { message: { board: [`cannot be added: ${MAX_BOARDS} are the most`] } },
    })
  })

  test('of fifty made at once, none is lost and none is too many', async () => {
    const place = await makers[kind]()
    const base = baseOf(kind, place)
    const first = await newBoard(place.planner, base)
    await sql`insert into boards (namespace_id, name, created_at, updated_at)
      select namespace_id, 'more', created_at, updated_at from boards, generate_series(2, ${MAX_BOARDS - 20}::integer)
      where id = ${first.id}`.execute(w.db)
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => place.planner.post(`${base}/boards`, { name: 'x' })),
    )
    const having = (wanted: number) => answers.filter(({ status }) => status === wanted).length
    expect([having(201), having(400)]).toEqual([20, 30])
  })

  test('are deleted by DELETE, unless they changed', async () => {
    const place = await makers[kind]()
    const { path } = await newBoard(place.planner, baseOf(kind, place))
    const early = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await place.planner.send('DELETE', path, { headers: early })).status).toBe(412)
    expect((await place.planner.send('PUT', path, { headers: early, json: { name: 'x' } })).status).toBe(412)
    const { status, text } = await place.planner.delete(path)
    expect([status, text]).toEqual([204, ''])
    expect((await place.planner.delete(path)).status).toBe(404)
  })

  test('are removed with their place', async () => {
    const place = await makers[kind]()
    const base = baseOf(kind, place)
    const { id, path } = await newBoard(place.planner, base, { labels: 'a' })
    await made(place.planner, `${path}/lists`, { assignee_id: place.guest.id })
    expect((await w.root.delete(base)).status).toBe(202)
    const left = () => w.db.selectFrom('boards').select('id').where('id', '=', id).execute()
    await until(async () => expect(await left()).toEqual([]))
  })
})

test('boards are closed with the issues of their project', async () => {
  const { id, owner, guest, planner } = await w.project()
  const base = `/projects/${id}`
  const { path } = await newBoard(planner, base)
  await owner.put(base, { issues_access_level: 'private' })
  expect((await guest.get(path)).status).toBe(200)
  await owner.put(base, { issues_access_level: 'disabled' })
  for (const by of [guest, owner]) expect((await by.get(path)).status).toBe(403)
})

test('a page of boards with long texts is complete', async () => {
  const { id, planner } = await w.project()
  const base = `/projects/${id}`
  const description = 'ü'.repeat(4_096)
  const names = Array.from({ length: 20 }, (_, n) => `long-${n}`)
  for (const name of names) await made(planner, `${base}/labels`, { name, color: 'red', description })
  for (let n = 0; n < 10; n += 1) await newBoard(planner, base, { labels: names })
  const { status, body } = await planner.get(`${base}/boards`)
  expect([status, body.length]).toEqual([200, 10])
  for (const board of body)
    for (const label of board.labels) expect(label.description.length).toBe(description.length)
})
