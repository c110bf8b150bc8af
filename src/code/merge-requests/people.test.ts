import { describe, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'

const ids = (people: readonly { readonly id: number }[]) =>
  people.map(({ id }) => id).toSorted((a, b) => a - b)

async function opened(wanted: object = {}) {
  const p = await branchedProject()
  const { path: one, body } = await openMergeRequest(p, p.developer, wanted)
  return { ...p, one, id: Number(body.id) }
}

describe('participants and reviewers', () => {
  test('participants are who wrote, works on, reviews, comments on or is mentioned in it', async () => {
    const p = await branchedProject({ visibility: 'public' })
    const { path } = await openMergeRequest(p, p.developer, {
      assignee_ids: [p.maintainer.id],
      reviewer_ids: [p.owner.id],
      description: `For @${p.planner.username}`,
    })
    await p.reporter.post(`${path}/notes`, { body: 'Fine' })
    const hidden = await p.owner.post(`${path}/notes`, { body: `@${p.guest.username}`, internal: true })
    expect(hidden.status).toBe(201)
    const { body, headers } = await p.stranger.get(`${path}/participants`)
    const expected = [p.developer, p.maintainer, p.owner, p.planner, p.reporter].map(({ id }) => id)
    expect(ids(body)).toEqual(expected.toSorted((a, b) => a - b))
    expect(headers.get('x-total')).toBe('5')
    expect((await p.planner.get(`${path}/participants`)).body).toHaveLength(6)
    expect((await p.developer.get(`${p.path}/99/participants`)).status).toBe(404)
  })

  test('reviewers come with how far they are', async () => {
    const { reporter, owner, maintainer, one } = await (async () => {
      const p = await branchedProject()
      const { path } = await openMergeRequest(p, p.developer, { reviewer_ids: [p.owner.id, p.maintainer.id] })
      return { ...p, one: path }
    })()
    const { status, body } = await reporter.get(`${one}/reviewers`)
    expect(status).toBe(200)
    expect(ids(body.map(({ user }: { user: { id: number } }) => user))).toEqual(ids([owner, maintainer]))
    expect(body[0]).toEqual({
      user: expect.objectContaining({ username: expect.any(String) }),
      state: 'unreviewed',
      created_at: expect.any(String),
    })
  })
})

describe('subscribing', () => {
  test('answers with the merge request, and 304 when nothing changes', async () => {
    const { reporter, developer, anonymous, one } = await opened()
    expect(await reporter.post(`${one}/subscribe`)).toMatchObject({ status: 201, body: { subscribed: true } })
    expect((await reporter.post(`${one}/subscribe`)).status).toBe(304)
    expect((await reporter.get(one)).body.subscribed).toBe(true)
    expect(await reporter.post(`${one}/unsubscribe`)).toMatchObject({
      status: 201,
      body: { subscribed: false },
    })
    expect((await reporter.post(`${one}/unsubscribe`)).status).toBe(304)
    // The author takes part without having chosen.
    expect((await developer.post(`${one}/subscribe`)).status).toBe(304)
    expect((await anonymous.post(`${one}/subscribe`)).status).toBe(401)
  })
})

describe('time tracking', () => {
  test('keeps estimates and spent time, and tells of them', async () => {
    const { developer, reporter, one, id } = await opened()
    expect(await developer.post(`${one}/time_estimate`, { duration: '3h30m' })).toMatchObject({
      status: 200,
      body: { time_estimate: 12_600, human_time_estimate: '3h 30m' },
    })
    expect(await developer.post(`${one}/add_spent_time`, { duration: '2h', summary: 'Read' })).toMatchObject({
      status: 201,
      body: { total_time_spent: 7_200 },
    })
    expect((await developer.post(`${one}/add_spent_time`, { duration: '-3h' })).status).toBe(400)
    expect((await developer.post(`${one}/time_estimate`, { duration: 'soon' })).status).toBe(400)
    expect((await reporter.post(`${one}/time_estimate`, { duration: '1h' })).status).toBe(403)
    expect((await reporter.get(`${one}/time_stats`)).body).toMatchObject({
      time_estimate: 12_600,
      total_time_spent: 7_200,
    })
    expect((await reporter.get(one)).body.time_stats).toMatchObject({ human_total_time_spent: '2h' })
    expect((await developer.post(`${one}/reset_spent_time`)).body.total_time_spent).toBe(0)
    expect((await developer.post(`${one}/reset_time_estimate`)).body.time_estimate).toBe(0)
    const notes = await w.db
      .selectFrom('notes')
      .select('body')
      .where('noteable_id', '=', id)
      .orderBy('id')
      .execute()
    expect(notes.map(({ body }) => body)).toEqual([
      'changed time estimate to 3h 30m',
      'added 2h of time spent',
      'removed time spent',
      'removed time estimate',
    ])
    const entries = await w.db
      .selectFrom('timelogs')
      .select('time_spent')
      .where('noteable_id', '=', id)
      .execute()
    expect(entries.map(({ time_spent }) => time_spent)).toEqual([7_200, -7_200])
  })
})
