import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { insertIssues } from '#test/issues.ts'
import { lockWaiters } from '#test/lock-waiters.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { GAP } from './positions.ts'

/** A project with that many issues, by their numbers. */
async function withIssues(count: number, options: Parameters<typeof w.project>[0] = {}) {
  const p = await w.project(options)
  const ids: number[] = []
  for (let n = 0; n < count; n += 1) {
    const { body } = await p.planner.post(`/projects/${p.id}/issues`, { title: unique('issue') })
    ids.push(body.id)
  }
  /** Issues by their numbers. */
  const reorder = (iid: number, to: { after?: number; before?: number }, by: Actor = p.planner) =>
    by.put(`/projects/${p.id}/issues/${iid}/reorder`, {
      move_after_id: to.after === undefined ? undefined : ids[to.after - 1],
      move_before_id: to.before === undefined ? undefined : ids[to.before - 1],
    })
  return { p, ids, reorder }
}

/** As lists with `order_by=relative_position` show them. */
async function order(...projectIds: number[]): Promise<number[]> {
  const rows = await rowsOf(...projectIds)
  return rows.map(({ iid }) => iid)
}

const rowsOf = (...projectIds: number[]) =>
  w.db
    .selectFrom('issues')
    .select(['id', 'iid', 'relative_position'])
    .where('project_id', 'in', projectIds)
    .orderBy('relative_position', (by) => by.asc().nullsLast())
    .orderBy('id')
    .execute()

const setPositions = (projectId: number, step: number) =>
  w.running.services.pool.query(
    `update issues set relative_position = iid * ${step} where project_id = ${projectId}`,
  )

describe('PUT /projects/:id/issues/:issue_iid/reorder', () => {
  test('puts an issue directly before, after or between others, and answers it', async () => {
    const { p, ids, reorder } = await withIssues(5)
    expect(await order(p.id)).toEqual([1, 2, 3, 4, 5])
    const { status, body } = await reorder(5, { after: 2 })
    expect({ status, body }).toMatchObject({ status: 200, body: { id: ids[4], iid: 5 } })
    expect(body).not.toHaveProperty('subscribed')
    expect(await order(p.id)).toEqual([1, 5, 2, 3, 4])
    await reorder(1, { before: 3 })
    expect(await order(p.id)).toEqual([5, 2, 3, 1, 4])
    await reorder(4, { before: 5, after: 2 })
    expect(await order(p.id)).toEqual([5, 4, 2, 3, 1])
    await reorder(4, { after: 3, before: 2 })
    expect(await order(p.id)).toEqual([5, 2, 4, 3, 1])
    await reorder(1, { after: 5 })
    expect(await order(p.id)).toEqual([1, 5, 2, 4, 3])
  })

  test('is refused when the other issue is deleted while the order waits', async () => {
    const { p, ids, reorder } = await withIssues(3)
    let answer: ReturnType<typeof reorder> | undefined
    await w.db.transaction().execute(async (db) => {
      await db
        .selectFrom('namespaces')
        .select('id')
        .where('id', '=', p.namespaceId)
        .forNoKeyUpdate()
        .execute()
      answer = reorder(1, { after: 3 })
      await lockWaiters(1)
      expect((await w.root.delete(`/projects/${p.id}/issues/3`)).status).toBe(204)
    })
    expect((await answer)?.status).toBe(422)
    expect((await rowsOf(p.id)).map(({ id }) => id)).toEqual(ids.slice(0, 2))
  })

  test('gives places only to the issues up to the named one; the others stay last', async () => {
    const { p, reorder } = await withIssues(5)
    await reorder(5, { before: 2 })
    const rows = await rowsOf(p.id)
    expect(rows.map(({ iid, relative_position }) => [iid, relative_position])).toEqual([
      [1, GAP],
      [2, 2 * GAP],
      [5, 3 * GAP],
      [3, null],
      [4, null],
    ])
    await p.planner.post(`/projects/${p.id}/issues`, { title: 'new' })
    expect(await order(p.id)).toEqual([1, 2, 5, 3, 4, 6])
  })

  test('makes room where there is none, and keeps the order of all others', async () => {
    const { p, reorder } = await withIssues(12)
    await setPositions(p.id, 1)
    await reorder(12, { before: 3 })
    expect(await order(p.id)).toEqual([1, 2, 3, 12, 4, 5, 6, 7, 8, 9, 10, 11])
    await setPositions(p.id, 0)
    await reorder(1, { after: 8 })
    expect(await order(p.id)).toEqual([2, 3, 4, 5, 6, 7, 1, 8, 9, 10, 11, 12])
  })

  test('keeps finding room at the same place, and at both ends of all positions', async () => {
    const { p, reorder } = await withIssues(6)
    for (let n = 0; n < 15; n += 1) {
      for (const iid of [3, 4]) expect((await reorder(iid, { before: 1 })).status).toBe(200)
    }
    expect(await order(p.id)).toEqual([1, 4, 3, 2, 5, 6])
    await w.running.services.pool.query(
      `update issues set relative_position = 2147483647 - 6 + iid where project_id = ${p.id}`,
    )
    await reorder(1, { before: 6 })
    expect(await order(p.id)).toEqual([2, 3, 4, 5, 6, 1])
    await w.running.services.pool.query(
      `update issues set relative_position = -2147483648 where project_id = ${p.id}`,
    )
    await reorder(6, { after: 1 })
    expect(await order(p.id)).toEqual([6, 1, 2, 3, 4, 5])
  })

  test('spreads no more than the issues around', async () => {
    const p = await w.project()
    await insertIssues(
      w.db,
      sql`insert into issues (project_id, iid, title, author_id, relative_position, created_at, updated_at)
        select ${p.id}, n, 'x', ${p.owner.id}, case when n <= 500 then n * 1000 else 500000 + n end, now(), now()
        from generate_series(1, 600) n`,
    )
    const before = await rowsOf(p.id)
    const named = before.find(({ iid }) => iid === 501)
    const path = `/projects/${p.id}/issues/1/reorder`
    expect((await p.planner.put(path, { move_before_id: named?.id })).status).toBe(200)
    const after = new Map((await rowsOf(p.id)).map(({ iid, relative_position }) => [iid, relative_position]))
    const changed = before.filter(({ iid, relative_position }) => after.get(iid) !== relative_position)
    expect(changed.length).toBeLessThan(300)
    const others = Array.from({ length: 599 }, (_, n) => n + 2)
    expect(await order(p.id)).toEqual(others.toSpliced(500, 0, 1))
  })

  test('orders issues of projects of one group', async () => {
    const { p, ids, reorder } = await withIssues(3)
    const q = await w.project({ parent: p.groupId })
    await w.member(q.namespaceId, p.planner, 15)
    const { body } = await q.planner.post(`/projects/${q.id}/issues`, { title: 'there' })
    await reorder(3, { after: 1 })
    const path = `/projects/${q.id}/issues/1/reorder`
    expect((await p.planner.put(path, { move_before_id: ids[2] })).status).toBe(200)
    const rows = await rowsOf(p.id, q.id)
    expect(rows.map(({ id }) => id)).toEqual([ids[2], body.id, ids[0], ids[1]])
  })

  test('ends in an order without ties when many do it at once', async () => {
    const { p, reorder } = await withIssues(8)
    const q = await w.project({ parent: p.groupId })
    await w.member(q.namespaceId, p.planner, 15)
    await setPositions(p.id, 1)
    const random = (n: number) => 1 + ((n * 7 + 3) % 8)
    const answers = await Promise.all([
      ...Array.from({ length: 30 }, (_, n) => {
        const [iid, other] = [random(n), random(n * 3 + 1)]
        return reorder(iid, { [n % 2 ? 'after' : 'before']: other === iid ? (other % 8) + 1 : other })
      }),
      ...Array.from({ length: 10 }, (_, n) =>
        p.planner.put(`/projects/${p.id}/issues/${random(n)}`, { title: unique('again') }),
      ),
    ])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const rows = await rowsOf(p.id)
    expect(new Set(rows.map(({ relative_position }) => relative_position)).size).toBe(8)
  })

  test('refuses what is not there, may not be seen, is elsewhere or is the issue itself', async () => {
    const { p, ids, reorder } = await withIssues(2, { visibility: 'public' })
    const elsewhere = await withIssues(1, { visibility: 'public' })
    const q = await w.project({ parent: p.groupId })
    const hidden = await q.owner.post(`/projects/${q.id}/issues`, { title: 'hidden' })
    const send = (json: object) => p.planner.put(`/projects/${p.id}/issues/1/reorder`, json)
    for (const id of [999_999_999, elsewhere.ids[0], hidden.body.id, ids[0]]) {
      expect(await send({ move_after_id: id })).toMatchObject({
        status: 422,
        body: { message: '422 Unprocessable Entity' },
      })
    }
    expect((await send({ move_after_id: ids[1], move_before_id: hidden.body.id })).status).toBe(422)
    expect((await reorder(3, { after: 1 })).status).toBe(404)
    expect(await order(p.id)).toEqual([1, 2])
  })

  test('needs one of the two', async () => {
    const { p, ids } = await withIssues(2)
    const send = (json: object, headers = {}) =>
      p.planner.put(`/projects/${p.id}/issues/1/reorder`, json, { headers })
    expect((await send({})).body.error).toBe(
      'move_after_id, move_before_id are missing, at least one parameter must be provided',
    )
    for (const wrong of ['x', 0, -1, 1.5]) expect((await send({ move_after_id: wrong })).status).toBe(400)
    const since = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await send({ move_after_id: ids[1] }, since)).status).toBe(412)
  })

  test('leaves the time of the last change and the records alone', async () => {
    const { p, ids, reorder } = await withIssues(2)
    const before = await p.guest.get(`/projects/${p.id}/issues/2`)
    const { body } = await reorder(2, { after: 1 })
    expect(body.updated_at).toBe(before.body.updated_at)
    const notes = await w.db.selectFrom('notes').selectAll().where('noteable_id', 'in', ids).execute()
    expect(notes).toEqual([])
  })
})
