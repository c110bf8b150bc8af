import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { projectWithCi } from '#ci/test-support.ts'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

test('@gitbeaker/rest runs pipelines, jobs, schedules and triggers', async () => {
  const p = await projectWithCi('build: { script: x }\ndeploy: { stage: deploy, script: x, when: manual }')
  const api = new Gitlab({ host: w.url, token: p.maintainer.token })
  const made = await api.Pipelines.create(p.id, 'main', { variables: [{ key: 'WHO', value: 'me' }] })
  expect(await api.Pipelines.show(p.id, made.id)).toMatchObject({ id: made.id, status: 'pending' })
  expect(await api.Pipelines.all(p.id, { ref: 'main' })).toHaveLength(1)
  expect(await api.Pipelines.allVariables(p.id, made.id)).toMatchObject([{ key: 'WHO', value: 'me' }])
  expect(await api.Jobs.all(p.id, { pipelineId: made.id })).toHaveLength(2)
  await p.run(made.id, 'build', { status: 'failed', log: 'no', artifacts: { 'a.txt': 'a' } })
  const { id } = await p.job(made.id, 'build')
  expect(await api.Jobs.showLog(p.id, id)).toBe('no')
  expect(await api.Jobs.retry(p.id, id)).toMatchObject({ name: 'build', status: 'pending' })
  expect(await api.Pipelines.cancel(p.id, made.id)).toMatchObject({ status: 'canceled' })
  const schedule = await api.PipelineSchedules.create(p.id, 'Nightly', 'main', '0 1 * * *')
  expect(await api.PipelineSchedules.all(p.id)).toHaveLength(1)
  await api.PipelineSchedules.remove(p.id, schedule.id)
  const trigger = await api.PipelineTriggerTokens.create(p.id, 'Bot')
  expect(await api.PipelineTriggerTokens.trigger(p.id, 'main', trigger.token)).toMatchObject({
    source: 'trigger',
  })
  expect(await api.Lint.lint(p.id, 'job: { script: x }')).toMatchObject({ valid: true })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('runs pipelines, jobs, schedules and triggers', { timeout: 180_000 }, async () => {
    await expectHeld('pipelines.py', w.url, w.root.token, unique('x'))
  })
})
