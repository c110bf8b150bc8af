import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'

const none = {
  time_estimate: 0,
  total_time_spent: 0,
  human_time_estimate: null,
  human_total_time_spent: null,
}

async function issue() {
  const p = await w.project()
  const { body } = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'It takes long' })
  const path = `/projects/${p.id}/issues/${body.iid}`
  const post = (action: string, json?: object, by = p.planner) => by.post(`${path}/${action}`, json)
  const records = async () => {
    const rows = await w.db
      .selectFrom('notes')
      .select('body')
      .where('noteable_id', '=', body.id)
      .orderBy('id')
      .execute()
    return rows.map((row) => row.body)
  }
  return { p, path, id: Number(body.id), post, records }
}

describe('POST /projects/:id/issues/:issue_iid/time_estimate', () => {
  test('keeps how long an issue is to take, and tells of it', async () => {
    const { p, path, post, records } = await issue()
    expect(await post('time_estimate', { duration: '3h30m' })).toMatchObject({
      status: 200,
      body: { ...none, time_estimate: 12_600, human_time_estimate: '3h 30m' },
    })
    await post('time_estimate', { duration: '210m' })
    await post('time_estimate', { duration: '1w 2d' })
    expect((await p.guest.get(path)).body.time_stats).toEqual({
      ...none,
      time_estimate: 201_600,
      human_time_estimate: '1w 2d',
    })
    expect(await post('reset_time_estimate')).toMatchObject({ status: 200, body: none })
    expect(await post('reset_time_estimate')).toMatchObject({ status: 200, body: none })
    expect(await records()).toEqual([
      'changed time estimate to 3h 30m',
      'changed time estimate to 1w 2d',
      'removed time estimate',
    ])
  })

  test('refuses what is no duration, less than nothing and more than can be kept', async () => {
    const { post } = await issue()
    expect((await post('time_estimate', {})).body.error).toBe('duration is missing')
    expect((await post('time_estimate', { duration: ' ' })).body.error).toBe('duration is empty')
    expect((await post('time_estimate', { duration: 'soon' })).body).toEqual({
      message: { duration: ['is invalid'] },
      error: 'duration is invalid',
    })
    const refused = async (duration: unknown) => (await post('time_estimate', { duration })).status
    expect(await refused('-1h')).toBe(400)
    expect(await refused('2147483648s')).toBe(400)
    expect(await refused('999999999999mo')).toBe(400)
    expect(await refused('1h '.repeat(100))).toBe(400)
    expect(await refused(['1h'])).toBe(400)
    expect(await refused('2147483647s')).toBe(200)
  })
})

describe('POST /projects/:id/issues/:issue_iid/add_spent_time', () => {
  test('adds to what was spent, takes back, and keeps each entry with who made it', async () => {
    const { p, post, id, records } = await issue()
    const first = await post('add_spent_time', { duration: '2h', summary: 'Looked into it' })
    expect(first).toMatchObject({
      status: 201,
      body: { ...none, total_time_spent: 7_200, human_total_time_spent: '2h' },
    })
    const second = await post('add_spent_time', { duration: '-30m' }, p.developer)
    expect(second.body.human_total_time_spent).toBe('1h 30m')
    await post('add_spent_time', { duration: '0m' })
    const entries = await w.db
      .selectFrom('timelogs')
      .select(['user_id', 'time_spent', 'summary'])
      .where('noteable_id', '=', id)
      .orderBy('id')
      .execute()
    expect(entries).toEqual([
      { user_id: p.planner.id, time_spent: 7_200, summary: 'Looked into it' },
      { user_id: p.developer.id, time_spent: -1_800, summary: null },
    ])
    expect(await post('reset_spent_time')).toMatchObject({ status: 200, body: none })
    expect(await post('reset_spent_time')).toMatchObject({ status: 200, body: none })
    expect(await records()).toEqual([
      'added 2h of time spent',
      'subtracted 30m of time spent',
      'removed time spent',
    ])
  })

  test('refuses to leave less than nothing or more than can be kept', async () => {
    const { post } = await issue()
    await post('add_spent_time', { duration: '1h' })
    expect(await post('add_spent_time', { duration: '-61m' })).toMatchObject({
      status: 400,
      body: { message: { time_spent: ['to take back is more than was spent'] } },
    })
    expect((await post('add_spent_time', { duration: '2147480048s' })).status).toBe(400)
    expect((await post('add_spent_time', { duration: '-999999999999s' })).status).toBe(400)
    expect((await post('add_spent_time', { duration: 'x' })).status).toBe(400)
    expect((await post('add_spent_time', { duration: '1h', summary: 'x'.repeat(256) })).status).toBe(400)
    expect((await post('add_spent_time', { duration: '2147480047s' })).status).toBe(201)
  })

  test('counts every one of 20 additions at once', async () => {
    const { p, path, post, id } = await issue()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => post('add_spent_time', { duration: n % 2 ? '2m' : '1m' })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    expect((await p.guest.get(`${path}/time_stats`)).body.total_time_spent).toBe(30 * 60)
    const { sum } = await w.db
      .selectFrom('timelogs')
      .select((eb) => eb.fn.sum<number>('time_spent').as('sum'))
      .where('noteable_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(sum).toBe(30 * 60)
  })
})

describe('the time of an issue', () => {
  test('is not there for who may not see the issue', async () => {
    const { p } = await issue()
    const { body } = await p.planner.post(`/projects/${p.id}/issues`, { title: 'x', confidential: true })
    const path = `/projects/${p.id}/issues/${body.iid}/time_stats`
    expect(await p.guest.get(path)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    expect((await p.planner.get(path)).status).toBe(200)
    expect((await p.planner.post(`/projects/${p.id}/issues/99/reset_spent_time`)).status).toBe(404)
  })

  test('takes two statements to read', async () => {
    const { p, path } = await issue()
    expect(await w.statements(() => p.guest.get(`${path}/time_stats`))).toHaveLength(2)
  })
})
