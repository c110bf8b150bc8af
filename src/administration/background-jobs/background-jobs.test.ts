import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { until } from '#test/until.ts'
import { openWorld } from '#test/world.ts'
import { killJob } from './test-support.ts'

const w = await openWorld()
afterAll(() => w.running.stop())

const at = '/background_jobs/dead'

test('dead jobs are listed without their payloads, and by cursor', async () => {
  const error = `connect ECONNREFUSED https://ada:geheim@example.com/${'x'.repeat(2_000)}`
  const first = await killJob(w, { task: 'test/none', error, payload: { secret: 'hunter2' } })
  const second = await killJob(w, { task: 'test/none', error: 'no' })
  const { status, body, text, headers } = await w.root.get(`${at}?per_page=1&pagination=keyset`)
  expect(status).toBe(200)
  expect(body).toEqual([
    {
      id: second,
      task: 'test/none',
      attempts: 25,
      last_error: 'no',
      created_at: expect.stringMatching(/Z$/),
      failed_at: expect.stringMatching(/Z$/),
    },
  ])
  const [, next = ''] = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
  const { body: rest, text: all } = await w.root.get(next)
  expect(rest).toMatchObject([{ id: first }])
  expect(rest[0].last_error).toMatch(/^connect ECONNREFUSED https:\/\/example\.com\/x+$/)
  expect(rest[0].last_error.length).toBeLessThanOrEqual(1_000)
  expect(text + all).not.toMatch(/hunter2|geheim/)
})

test('one is tried again, once', async () => {
  const id = await killJob(w, { task: 'licenses/count-billable-users' })
  expect(await w.root.post(`${at}/${id}/retry`)).toMatchObject({ status: 202, body: { retried: 1 } })
  expect((await w.root.post(`${at}/${id}/retry`)).status).toBe(404)
  await until(async () => {
    const { rows } = await sql`select from graphile_worker.jobs where id = ${id}`.execute(w.db)
    expect(rows).toEqual([])
  })
  expect((await w.root.post(`${at}/999999999/retry`)).status).toBe(404)
})

test('all are tried again, and those that run or wait are left alone', async () => {
  await killJob(w, { task: 'test/none' })
  const { body: before } = await w.root.get(at)
  const tried = await w.root.post(`${at}/retry`)
  expect(tried).toMatchObject({ status: 202, body: { retried: before.length } })
  expect(await w.root.get(at)).toMatchObject({ body: [] })
  expect(await w.root.post(`${at}/retry`)).toMatchObject({ status: 202, body: { retried: 0 } })
  const events = await w.db.selectFrom('audit_events').select('event_name').orderBy('id', 'desc').execute()
  expect(events[0]?.event_name).toBe('background_jobs_retried')
})

test('others may do nothing of it', async () => {
  const id = await killJob(w, { task: 'test/none' })
  for (const [caller, status] of [
    [await w.user(), 403],
    [w.anonymous, 401],
  ] as const) {
    expect((await caller.get(at)).status).toBe(status)
    expect((await caller.post(`${at}/retry`)).status).toBe(status)
    expect((await caller.post(`${at}/${id}/retry`)).status).toBe(status)
  }
  expect((await w.root.get(at)).body).toMatchObject([{ id }])
})
