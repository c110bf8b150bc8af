import { describe, expect, test } from 'vitest'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'

type Project = Awaited<ReturnType<typeof projectWithCi>>

const downstream = async (p: Project, pipeline: number, name: string) => {
  const { body } = await p.developer.get(`${p.base}/pipelines/${pipeline}/bridges`)
  return body.find((bridge: { name: string }) => bridge.name === name)?.downstream_pipeline
}

describe('a job that triggers', () => {
  test('a child pipeline starts it, and ends as it does where it depends on it', async () => {
    const p = await projectWithCi(
      `
variables: { GREETING: hello }
child: { trigger: { include: child.yml, strategy: depend } }
free: { trigger: { include: child.yml } }
after: { stage: deploy, script: x }
`,
      { files: { 'child.yml': 'in-child: { script: echo $GREETING }' } },
    )
    const { id } = await p.create()
    await p.untilJob(id, 'child', 'running')
    await p.untilJob(id, 'free', 'success')
    const child = await until(async () => {
      const found = await downstream(p, id, 'child')
      expect(found).toMatchObject({ source: 'parent_pipeline', ref: 'main', project_id: p.id })
      return found
    })
    expect((await p.developer.get(`${p.base}/pipelines`)).body).toHaveLength(1)
    expect((await p.developer.get(`${p.base}/pipelines?source=parent_pipeline`)).body).toHaveLength(2)
    expect(await p.statuses(id)).toEqual({ after: 'created' })
    await p.finish(child.id, 'in-child')
    await p.untilJob(id, 'child', 'success')
    expect(await p.statuses(id)).toEqual({ after: 'pending' })
  })

  test('a pipeline that fails fails the job that depends on it, and canceling the parent cancels it', async () => {
    const p = await projectWithCi('child: { trigger: { include: child.yml, strategy: depend } }', {
      files: { 'child.yml': 'in-child: { script: x }' },
    })
    const started = async () => {
      const { id } = await p.create()
      await p.untilJob(id, 'child', 'running')
      const child = await until(async () => {
        const found = await downstream(p, id, 'child')
        expect(found).toBeDefined()
        expect(found).not.toBeNull()
        return found
      })
      return { id, child }
    }
    const failing = await started()
    await p.finish(failing.child.id, 'in-child', 'failed')
    await p.untilJob(failing.id, 'child', 'failed')
    expect((await p.job(failing.id, 'child')).failure_reason).toBe('downstream_pipeline_failed')
    const canceled = await started()
    await p.developer.post(`${p.base}/pipelines/${canceled.id}/cancel`)
    expect(await p.statusOf(canceled.child.id)).toBe('canceled')
    expect((await p.owner.delete(`${p.base}/pipelines/${failing.id}`)).status).toBe(204)
    expect((await p.developer.get(`${p.base}/pipelines/${failing.child.id}`)).status).toBe(404)
  })

  test('a pipeline of another project starts there, with variables, if the person may', async () => {
    const other = await projectWithCi('x: { script: x, rules: [{ if: $WHICH == "this" }] }')
    const p = await projectWithCi(`
go: { trigger: ${other.fullPath}, variables: { WHICH: this } }
nowhere: { trigger: no/where }
`)
    const denied = await p.create()
    await p.untilJob(denied.id, 'go', 'failed')
    await p.untilJob(denied.id, 'nowhere', 'failed')
    expect((await p.job(denied.id, 'nowhere')).failure_reason).toBe('downstream_bridge_project_not_found')
    expect((await p.job(denied.id, 'go')).failure_reason).toBe('downstream_pipeline_creation_failed')
    await w.member(other.namespaceId, p.developer, 30)
    const { id } = await p.create()
    await p.untilJob(id, 'go', 'success')
    expect(await downstream(p, id, 'go')).toMatchObject({ source: 'pipeline', project_id: other.id })
  })

  test('a file that triggers itself ends after two levels', async () => {
    const p = await projectWithCi('again: { trigger: { include: .gitlab-ci.yml } }')
    await p.create()
    await until(async () => {
      const { body } = await p.developer.get(`${p.base}/pipelines?source=parent_pipeline`)
      expect(body).toHaveLength(2)
      const { body: bridges } = await p.developer.get(`${p.base}/pipelines/${body[0].id}/bridges`)
      expect(bridges[0].failure_reason).toBe('reached_max_descendant_pipelines_depth')
    })
  })
})

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
    const stop = await p.job(id, 'stop')
    await p.developer.post(`${p.base}/jobs/${stop.id}/play`)
    await p.untilJob(id, 'stop', 'pending')
    await p.finish(id, 'stop')
    await until(async () => {
      const { body } = await p.developer.get(`${p.base}/environments`)
      expect(body[0]).toMatchObject({ name: 'review/main', state: 'stopped' })
    })
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
