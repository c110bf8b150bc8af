import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { ids, onPremium, open, own, withEpic } from './test-support.ts'

onPremium()

/** The system notes of an epic, oldest first, to its planner. */
const told = async (p: Awaited<ReturnType<typeof withEpic>>, id = p.epic.id) =>
  (await p.planner.get(`${p.collection}/${id}/notes?sort=asc`)).body.map(({ body }: { body: string }) => body)

describe('POST /groups/:id/epics/:epic_iid/epics/:child_epic_id', () => {
  test('puts an epic below another one, and tells both', async () => {
    const p = await withEpic()
    const child = await open(p.planner, p)
    const { status, body } = await p.guest.post(`${p.path}/epics/${child.id}`)
    expect([status, body.parent_id, body.parent_iid]).toEqual([201, p.epic.id, p.epic.iid])
    expect(body).toMatchObject({ _links: { parent: `${own.url}/api/v4/groups/${p.id}/epics/1` } })
    expect(ids(await p.guest.get(`${p.path}/epics`))).toEqual([child.id])
    expect(await told(p)).toEqual(['added epic &2 as child epic'])
    expect(await told(p, child.id)).toEqual(['added epic &1 as parent epic'])
    const other = await open(p.planner, p)
    await p.guest.post(`${p.collection}/${other.iid}/epics/${child.id}`)
    expect(ids(await p.guest.get(`${p.path}/epics`))).toEqual([])
    expect(await told(p)).toEqual(['added epic &2 as child epic', 'removed child epic &2'])
  })

  test('works across groups of one top-level group, for members of both', async () => {
    const above = await withEpic()
    const below = await withEpic({ parent: above.id })
    expect((await below.guest.post(`${below.path}/epics/${above.epic.id}`)).status).toBe(403)
    const { status } = await above.guest.post(`${above.path}/epics/${below.epic.id}`)
    expect(status).toBe(201)
    const elsewhere = await withEpic({ visibility: 'public' })
    expect((await above.guest.post(`${above.path}/epics/${elsewhere.epic.id}`)).status).toBe(403)
    const admin = await above.admin.post(`${above.path}/epics/${elsewhere.epic.id}`)
    expect(admin.body.message).toContain('same top-level group')
  })

  test('refuses strangers, unknown epics, and circles', async () => {
    const p = await withEpic({ visibility: 'public' })
    const child = await open(p.planner, p, { parent_id: p.epic.id })
    const grandchild = await open(p.planner, p, { parent_id: child.id })
    expect((await p.stranger.post(`${p.path}/epics/${child.id}`)).status).toBe(403)
    expect((await p.guest.post(`${p.path}/epics/999999`)).body.message).toBe('404 Epic Not Found')
    for (const { iid } of [child, grandchild]) {
      const circle = await p.guest.post(`${p.collection}/${iid}/epics/${p.epic.id}`)
      expect([circle.status, circle.body.message]).toEqual([
        422,
        'The epic cannot be added: an epic cannot be below itself',
      ])
    }
    expect((await p.guest.post(`${p.path}/epics/${p.epic.id}`)).status).toBe(422)
  })

  test('allows seven levels below an epic', async () => {
    const p = await withEpic()
    let last = p.epic
    for (let level = 1; level <= 7; level += 1) last = await open(p.planner, p, { parent_id: last.id })
    const deeper = await p.planner.post(p.collection, { title: 'Deeper', parent_id: last.id })
    expect([deeper.status, deeper.body.message]).toEqual([
      422,
      'The epic cannot be added: an epic can have 7 levels of epics below it',
    ])
    const above = await open(p.planner, p)
    const pushed = await p.guest.post(`${p.collection}/${above.iid}/epics/${p.epic.id}`)
    expect(pushed.status).toBe(422)
  })

  test('makes no circle of two that go below each other at once', async () => {
    const p = await withEpic()
    for (let round = 0; round < 5; round += 1) {
      const [a, b] = [await open(p.planner, p), await open(p.planner, p)]
      const answers = await Promise.all([
        p.guest.post(`${p.collection}/${a.iid}/epics/${b.id}`),
        p.guest.post(`${p.collection}/${b.iid}/epics/${a.id}`),
      ])
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]))
    }
  })

  test('has no more than 1,000 child epics in one', async () => {
    const p = await withEpic()
    await sql`
      with made as (
        insert into epics (group_id, iid, title, author_id, color, parent_id, created_at)
        select ${p.id}, 1000 + n, 'Child ' || n, ${p.planner.id}, '#000000', ${p.epic.id}, now()
        from generate_series(1, 1000) as n returning id)
      insert into noteables (id, kind, namespace_id, updated_at) select id, 'epic', ${p.id}, now() from made`.execute(
      own.db,
    )
    const more = await p.planner.post(`${p.path}/epics`, { title: 'One more' })
    expect([more.status, more.body.message]).toEqual([
      422,
      'The epic cannot be added: an epic can have 1000 child epics',
    ])
  })
})

describe('PUT /groups/:id/epics/:epic_iid with parent_id', () => {
  test('moves it below another one, and out with 0', async () => {
    const p = await withEpic()
    const parent = await open(p.planner, p)
    const moved = await p.planner.put(p.path, { parent_id: parent.id })
    expect(moved.body).toMatchObject({ parent_id: parent.id, parent_iid: parent.iid })
    expect((await p.planner.put(p.path, { parent_id: 0 })).body.parent_id).toBeNull()
    expect((await p.planner.put(p.path, { parent_id: 999_999 })).status).toBe(404)
    expect((await p.planner.put(p.path, { parent_id: p.epic.id })).status).toBe(422)
  })
})

describe('POST, PUT and DELETE of child epics', () => {
  test('opens, orders and takes out', async () => {
    const p = await withEpic()
    const made = []
    for (const title of ['a', 'b', 'c']) made.push((await p.planner.post(`${p.path}/epics`, { title })).body)
    const [a, b, c] = made
    const order = async () => ids(await p.guest.get(`${p.path}/epics`))
    expect(await order()).toEqual([a.id, b.id, c.id])
    const first = await p.guest.put(`${p.path}/epics/${c.id}`, { move_after_id: a.id })
    expect([first.status, ids(first)]).toEqual([200, [c.id, a.id, b.id]])
    await p.guest.put(`${p.path}/epics/${c.id}`, { move_before_id: a.id })
    expect(await order()).toEqual([a.id, c.id, b.id])
    await p.guest.put(`${p.path}/epics/${a.id}`, { move_before_id: b.id })
    expect(await order()).toEqual([c.id, b.id, a.id])
    expect((await p.guest.put(`${p.path}/epics/${a.id}`, { move_before_id: p.epic.id })).status).toBe(404)
    expect((await p.guest.put(`${p.path}/epics/${a.id}`, {})).status).toBe(400)
    const out = await p.guest.delete(`${p.path}/epics/${b.id}`)
    expect([out.status, out.body]).toEqual([200, expect.objectContaining({ id: b.id, parent_id: null })])
    expect((await p.guest.delete(`${p.path}/epics/${b.id}`)).status).toBe(404)
    expect(await order()).toEqual([c.id, a.id])
    expect((await p.guest.post(`${p.path}/epics`, { title: 'no' })).status).toBe(403)
  })

  test('keeps an order however often one is squeezed between two', async () => {
    const p = await withEpic()
    const made: { id: number }[] = []
    for (const title of ['a', 'b', 'c']) made.push((await p.planner.post(`${p.path}/epics`, { title })).body)
    const [a, b, c] = made.map(({ id }) => id)
    for (let turn = 0; turn < 12; turn += 1) {
      const [moving, staying] = turn % 2 === 0 ? [b, c] : [c, b]
      const { body } = await p.guest.put(`${p.path}/epics/${moving}`, { move_before_id: a })
      expect(body.map(({ id }: { id: number }) => id)).toEqual([a, moving, staying])
    }
  })

  test('orders none that the caller cannot see', async () => {
    const p = await withEpic()
    const seen = (await p.planner.post(`${p.path}/epics`, { title: 'a' })).body
    const hidden = (await p.planner.post(`${p.path}/epics`, { title: 'b', confidential: true })).body
    const put = (id: number, beside: object) => p.guest.put(`${p.path}/epics/${id}`, beside)
    expect((await put(hidden.id, { move_before_id: seen.id })).status).toBe(404)
    expect((await put(seen.id, { move_before_id: hidden.id })).status).toBe(404)
    expect(ids(await p.planner.get(`${p.path}/epics`))).toEqual([seen.id, hidden.id])
  })

  test('shows no children that the caller cannot see', async () => {
    const above = await withEpic({ visibility: 'public' })
    const below = await own.group({ parent: above.id })
    const hidden = await open(above.planner, below, { parent_id: above.epic.id })
    expect(ids(await above.guest.get(`${above.path}/epics`))).toEqual([hidden.id])
    const list = await above.stranger.get(`${above.path}/epics`)
    expect([list.body, list.headers.get('x-total')]).toEqual([[], '0'])
    // And no parent that they cannot see.
    const child = await open(above.planner, above, { parent_id: hidden.id })
    expect((await above.stranger.get(`${above.collection}/${child.iid}`)).body.parent_id).toBeNull()
    const notes = `${above.collection}/${child.id}/notes`
    expect((await above.stranger.get(notes)).body).toEqual([])
    expect((await above.guest.get(notes)).body).toHaveLength(1)
  })
})
