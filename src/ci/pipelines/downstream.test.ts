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

  const GENERATED = `
generate: { stage: build, script: x, artifacts: { paths: [ci/] } }
child: { trigger: { include: [{ artifact: ci/generated.yml, job: generate }], strategy: depend } }
`
  test.each([
    ['made: { script: x }', 'success'],
    ['made: { nothing: x }', 'downstream_pipeline_creation_failed'],
    [undefined, 'downstream_pipeline_creation_failed'],
  ])('a child is made of what another job has left: %s', async (made, outcome) => {
    const p = await projectWithCi(GENERATED)
    const { id } = await p.create()
    const files = made === undefined ? { 'ci/other.yml': 'x' } : { 'ci/generated.yml': made }
    await p.run(id, 'generate', { status: 'success', artifacts: files })
    if (outcome === 'success') {
      await until(async () => expect(await downstream(p, id, 'child')).not.toBeNull())
      const child = await downstream(p, id, 'child')
      expect(Object.keys(await p.statuses(child.id))).toEqual(['made'])
    } else {
      await p.untilJob(id, 'child', 'failed')
      expect((await p.job(id, 'child')).failure_reason).toBe(outcome)
    }
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
