import { describe, expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { nextMoment } from './next-moment.ts'
import { playSchedule, runSchedules } from './run-schedules.ts'

const CONFIG = `
job: { script: x, rules: [{ if: $CI_PIPELINE_SOURCE == "schedule" }] }
extra: { script: x, rules: [{ if: $WITH == "extra" }] }
`
const wanted = { description: 'Nightly', ref: 'main', cron: '0 1 * * *' }

async function scheduled(given: object = {}) {
  const p = await projectWithCi(CONFIG)
  const path = `${p.base}/pipeline_schedules`
  const { status, body } = await p.developer.post(path, { ...wanted, ...given })
  expect(status).toBe(201)
  return { ...p, path, one: `${path}/${body.id}`, body }
}

const run = () => {
  const { signal } = new AbortController()
  return runSchedules.execute({}, jobContext(w.running.services, { attempt: 1, signal }))
}
const due = (id: number, next_run_at = '2026-01-01T00:00:00Z') =>
  w.db.updateTable('pipeline_schedules').set({ next_run_at }).where('id', '=', id).execute()

const isSwitch = ({ event_name }: { event_name: string }) => event_name === 'pipeline_schedule_active_updated'

describe('pipeline schedules', () => {
  test('are made, read, changed and deleted', async () => {
    const p = await scheduled({ cron_timezone: 'Europe/Berlin', inputs: { where: 'there' } })
    expect(p.body).toEqual({
      id: expect.any(Number),
      description: 'Nightly',
      ref: 'refs/heads/main',
      cron: '0 1 * * *',
      cron_timezone: 'Europe/Berlin',
      next_run_at: expect.stringMatching(/T(?:00|23):00:00\.000Z$/),
      active: true,
      created_at: expect.any(String),
      updated_at: p.body.created_at,
      owner: expect.objectContaining({ id: p.developer.id }),
      last_pipeline: null,
      variables: [],
    })
    const { last_pipeline: _, variables: _hidden, ...listed } = p.body
    expect((await p.reporter.get(p.path)).body).toEqual([listed])
    expect((await p.reporter.get(p.one)).body).toEqual({ ...listed, last_pipeline: null })
    expect((await p.reporter.get(`${p.path}?scope=inactive`)).body).toEqual([])
    const changed = await p.developer.put(p.one, { active: false, cron: '30 2 * * *', cron_timezone: 'UTC' })
    expect(changed.body).toMatchObject({ active: false, next_run_at: expect.stringMatching(/T02:30:00/) })
    expect((await p.reporter.get(`${p.path}?scope=inactive`)).body).toHaveLength(1)
    expect((await p.developer.delete(p.one)).status).toBe(204)
    expect((await p.developer.get(p.one)).body.message).toBe('404 Pipeline Schedule Not Found')
  })

  test('refuse what is no time, no reference, and those of others', async () => {
    const p = await scheduled()
    const refusal = async (given: object) =>
      (await p.developer.post(p.path, { ...wanted, ...given })).body.message
    expect(await refusal({ cron: 'now' })).toEqual({ cron: ['is invalid syntax'] })
    expect(await refusal({ cron_timezone: 'Nowhere' })).toEqual({ cron_timezone: ['is invalid syntax'] })
    expect(await refusal({ ref: 'none' })).toEqual({ base: ['Reference not found'] })
    const other = await w.user()
    await w.member(p.namespaceId, other, 30)
    expect((await other.put(p.one, { active: false })).status).toBe(403)
    expect((await other.delete(p.one)).status).toBe(403)
    expect((await other.post(`${p.one}/take_ownership`)).status).toBe(403)
    const taken = await p.maintainer.post(`${p.one}/take_ownership`)
    expect([taken.status, taken.body.owner.id]).toEqual([201, p.maintainer.id])
    expect((await p.developer.put(p.one, { active: false })).status).toBe(403)
    await p.maintainer.post(`${p.base}/protected_branches`, {
      name: 'main',
      push_access_level: 40,
      merge_access_level: 40,
    })
    expect(await refusal({})).toEqual({ base: [expect.stringContaining("run a pipeline on 'main'")] })
    expect(await refusal({ description: '' })).toBeDefined()
  })

  test('hold variables that their owners read, encrypted', async () => {
    const p = await scheduled()
    const variable = { key: 'WITH', value: 'extra', variable_type: 'env_var', raw: false }
    const made = await p.developer.post(`${p.one}/variables`, { key: 'WITH', value: 'extra' })
    expect([made.status, made.body]).toEqual([201, variable])
    expect((await p.developer.post(`${p.one}/variables`, { key: 'WITH', value: '2' })).body.message).toEqual({
      key: ['has already been taken'],
    })
    expect((await p.developer.post(`${p.one}/variables`, { key: 'a-b', value: '2' })).status).toBe(400)
    expect((await p.developer.get(`${p.one}/variables/WITH`)).body).toEqual(variable)
    expect((await p.reporter.get(`${p.one}/variables/WITH`)).status).toBe(403)
    expect((await p.reporter.get(p.one)).body.variables).toBeUndefined()
    const changed = await p.developer.put(`${p.one}/variables/WITH`, {
      value: 'other',
      variable_type: 'file',
    })
    expect(changed.body).toEqual({ ...variable, value: 'other', variable_type: 'file' })
    expect((await p.developer.get(p.one)).body.variables).toEqual([changed.body])
    const rows = await w.db.selectFrom('pipeline_schedule_variables').select('value').execute()
    expect(rows.some(({ value }) => value.includes('other'))).toBe(false)
    const removed = await p.developer.delete(`${p.one}/variables/WITH`)
    expect([removed.status, removed.body.key]).toEqual([202, 'WITH'])
    expect((await p.developer.get(`${p.one}/variables/WITH`)).body.message).toBe('404 Variable Not Found')
  })

  test('make a pipeline when they are due, once whoever looks', async () => {
    const p = await scheduled()
    await p.developer.post(`${p.one}/variables`, { key: 'WITH', value: 'extra' })
    await due(p.body.id)
    await Promise.all([run(), run()])
    const [made] = await until(async () => {
      const { body } = await p.developer.get(`${p.one}/pipelines`)
      expect(body).toHaveLength(1)
      return body
    })
    expect(made).toMatchObject({ source: 'schedule', ref: 'main' })
    expect(Object.keys(await p.statuses(made.id)).toSorted()).toEqual(['extra', 'job'])
    const { body } = await p.developer.get(p.one)
    expect(body.last_pipeline).toMatchObject({ id: made.id, ref: 'main', status: 'pending' })
    expect(Date.parse(body.next_run_at)).toBeGreaterThan(Date.now())
    await run()
    expect((await p.developer.get(`${p.one}/pipelines`)).body).toHaveLength(1)
  })

  test('are played on demand, with the rights of whoever plays them', async () => {
    const p = await scheduled({ active: false })
    const { status, body } = await p.maintainer.post(`${p.one}/play`)
    expect([status, body]).toEqual([201, { message: '201 Created' }])
    await until(async () => {
      const { body: all } = await p.developer.get(`${p.one}/pipelines`)
      expect(all).toHaveLength(1)
      expect((await p.developer.get(`${p.base}/pipelines/${all[0].id}`)).body.user.id).toBe(p.maintainer.id)
    })
    expect((await p.reporter.post(`${p.one}/play`)).status).toBe(403)
  })

  test('are switched off when their owner may do nothing any more, which audit events tell once', async () => {
    const p = await scheduled()
    await w.root.post(`/users/${p.developer.id}/block`)
    await due(p.body.id)
    await run()
    await until(async () => expect((await p.maintainer.get(p.one)).body.active).toBe(false))
    expect((await p.maintainer.get(`${p.one}/pipelines`)).body).toEqual([])
    // A run that was waiting already.
    const { signal } = new AbortController()
    const job = jobContext(w.running.services, { attempt: 1, signal })
    await playSchedule.execute({ schedule_id: p.body.id, moment: new Date().toISOString() }, job)
    const events = await w.onPlan('premium', () =>
      w.root.get(`/audit_events?entity_type=Project&entity_id=${p.id}`),
    )
    expect(events.body.filter(isSwitch)).toEqual([
      expect.objectContaining({
        author_id: -1,
        details: expect.objectContaining({
          change: 'active',
          from: 'true',
          to: 'false',
          target_details: 'Nightly',
        }),
      }),
    ])
  })

  test('stay on when somebody else who played them is blocked', async () => {
    const p = await scheduled()
    await w.root.post(`/users/${p.maintainer.id}/block`)
    const { signal } = new AbortController()
    const job = jobContext(w.running.services, { attempt: 1, signal })
    const moment = new Date().toISOString()
    await playSchedule.execute({ schedule_id: p.body.id, moment, user_id: p.maintainer.id }, job)
    expect((await p.developer.get(p.one)).body.active).toBe(true)
  })

  test('are switched off when their owner is no member any more', async () => {
    const p = await scheduled()
    await p.owner.delete(`${p.base}/members/${p.developer.id}`)
    await due(p.body.id)
    await run()
    await until(async () => expect((await p.maintainer.get(p.one)).body.active).toBe(false))
  })

  test('of a protected branch are changed and played by those who may push to it', async () => {
    const p = await scheduled()
    await p.maintainer.post(`${p.base}/protected_branches`, {
      name: 'main',
      push_access_level: 40,
      merge_access_level: 40,
    })
    expect((await p.developer.post(`${p.one}/play`)).status).toBe(403)
    expect((await p.developer.put(p.one, { description: 'Other' })).status).toBe(403)
    expect((await p.maintainer.post(`${p.one}/play`)).status).toBe(201)
  })

  test('keep a run that is due when their description changes', async () => {
    const p = await scheduled()
    await due(p.body.id)
    const { body } = await p.developer.put(p.one, { description: 'Other' })
    expect(body.next_run_at).toBe('2026-01-01T00:00:00.000Z')
  })
})

describe('the next moment of a schedule', () => {
  test.each([
    ['0 1 * * *', 'UTC', '2026-03-01T00:59:59.000Z', '2026-03-01T01:00:00.000Z'],
    ['0 1 * * *', 'Europe/Berlin', '2026-07-01T00:00:00.000Z', '2026-07-01T23:00:00.000Z'],
    // Summer time begins: half past two is not there on 29 March 2026, and comes twice on 25 October.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00.000Z', '2026-03-29T01:00:00.000Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00.000Z', '2026-10-25T00:30:00.000Z'],
    ['30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
  ])('%s in %s after %s is %s', (cron, zone, after, next) => {
    expect(nextMoment(cron, zone, after)).toBe(next)
  })

  test('never comes sooner than five minutes after the last one', () => {
    const at = '2026-03-01T00:00:00.000Z'
    expect(nextMoment('* * * * *', 'UTC', '2026-03-01T00:00:30.000Z', at)).toBe('2026-03-01T00:05:00.000Z')
  })
})
