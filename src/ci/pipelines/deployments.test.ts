import { describe, expect, test } from 'vitest'
import { stopEnvironments } from '#delivery/environments/end-by-themselves.ts'
import { jobContext } from '#platform/jobs/context.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'

describe('a job with an environment', () => {
  const CONFIG = `
deploy: { script: x, environment: { name: review/$CI_COMMIT_REF_SLUG, url: "https://review.example.org", on_stop: stop } }
stop: { script: x, when: manual, environment: { name: review/$CI_COMMIT_REF_SLUG, action: stop } }
`
  test('makes a deployment that goes as the job does, and stops the environment', async () => {
    const p = await projectWithCi(CONFIG)
    const { id } = await p.create()
    await p.untilJob(id, 'deploy', 'pending')
    const deployment = async () => (await p.developer.get(`${p.base}/deployments`)).body[0]
    expect(await deployment()).toMatchObject({ status: 'created', environment: { name: 'review/main' } })
    await p.start(id, 'deploy')
    await until(async () => expect((await deployment()).status).toBe('running'))
    await p.finish(id, 'deploy')
    await until(async () => {
      const shown = await deployment()
      expect([shown.status, shown.environment.external_url]).toEqual([
        'success',
        'https://review.example.org',
      ])
    })
    const { deployable } = await deployment()
    expect(deployable).toEqual((await p.developer.get(`${p.base}/jobs/${deployable.id}`)).body)
    const stop = await p.job(id, 'stop')
    await p.developer.post(`${p.base}/jobs/${stop.id}/play`)
    await p.untilJob(id, 'stop', 'pending')
    await p.finish(id, 'stop')
    await until(async () => {
      const { body } = await p.developer.get(`${p.base}/environments`)
      expect(body[0]).toMatchObject({ name: 'review/main', state: 'stopped' })
    })
  })

  const WITH_TIME = `
deploy: { script: x, environment: { name: review/$CI_COMMIT_REF_SLUG, url: "https://$CI_ENVIRONMENT_SLUG.example", on_stop: stop, auto_stop_in: 1 day, deployment_tier: testing } }
stop: { script: x, when: manual, environment: { name: review/$CI_COMMIT_REF_SLUG, action: stop } }
`
  async function deployed() {
    const p = await projectWithCi(WITH_TIME)
    const { id } = await p.create()
    await p.untilJob(id, 'deploy', 'pending')
    await p.finish(id, 'deploy')
    const environment = async () => (await p.developer.get(`${p.base}/environments`)).body[0]
    await until(async () => expect((await environment()).auto_stop_at).not.toBeNull())
    const shown = await environment()
    return { ...p, id, environment, one: `${p.base}/environments/${shown.id}` }
  }

  test('says where the environment is, of what tier, and when it stops by itself', async () => {
    const p = await deployed()
    const { slug, external_url, tier, auto_stop_at } = await p.environment()
    expect([external_url, tier]).toEqual([`https://${slug}.example`, 'testing'])
    expect(Date.parse(auto_stop_at) - Date.now()).toBeGreaterThan(86_300_000)
    expect((await p.developer.get(p.one)).body.last_deployment.deployable.name).toBe('deploy')
  })

  test('lets its job run before the environment stops, unless somebody forces it', async () => {
    const p = await deployed()
    expect((await p.developer.post(`${p.one}/stop`)).body).toMatchObject({
      state: 'stopping',
      auto_stop_at: null,
    })
    await p.untilJob(p.id, 'stop', 'pending')
    await p.finish(p.id, 'stop')
    await until(async () => expect((await p.environment()).state).toBe('stopped'))
    const other = await deployed()
    expect((await other.developer.post(`${other.one}/stop`, { force: true })).body.state).toBe('stopped')
    expect((await other.job(other.id, 'stop')).status).toBe('manual')
  })

  test('lets its job run when the time of the environment has come', async () => {
    const p = await deployed()
    const auto_stop_at = '2026-01-01T00:00:00.000Z'
    await p.developer.put(p.one, { auto_stop_at, auto_stop_setting: 'with_action' })
    const { signal } = new AbortController()
    await stopEnvironments.execute({}, jobContext(w.running.services, { attempt: 1, signal }))
    await p.untilJob(p.id, 'stop', 'pending')
    expect((await p.environment()).state).toBe('stopping')
  })

  test('fails where the person may not deploy, and waits for approvals', async () => {
    await w.onPlan('premium', async () => {
      const p = await projectWithCi('deploy: { script: x, environment: production }')
      await p.maintainer.post(`${p.base}/protected_environments`, {
        name: 'production',
        deploy_access_levels: [{ access_level: 40 }],
      })
      const denied = await p.create()
      await p.untilJob(denied.id, 'deploy', 'failed')
      expect((await p.job(denied.id, 'deploy')).failure_reason).toBe('protected_environment_failure')
      await p.maintainer.put(`${p.base}/protected_environments/production`, {
        deploy_access_levels: [{ access_level: 30 }],
        required_approval_count: 1,
      })
      const { id } = await p.create()
      await p.untilJob(id, 'deploy', 'manual')
      const { body } = await p.developer.get(`${p.base}/deployments?status=blocked`)
      const approved = await p.maintainer.post(`${p.base}/deployments/${body[0].id}/approval`, {
        status: 'approved',
      })
      expect(approved.status).toBe(201)
      const { id: job } = await p.job(id, 'deploy')
      await p.developer.post(`${p.base}/jobs/${job}/play`)
      await p.untilJob(id, 'deploy', 'pending')
    })
  })
})
