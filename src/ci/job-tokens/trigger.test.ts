import { expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'
import { CONFIG, runningJob, withRunningJob } from './test-support.ts'

const start = (base: string, token: string, given: object = {}) =>
  w.anonymous.post(`${base}/trigger/pipeline`, { token, ref: 'main', ...given })

test('a job starts a pipeline downstream by its token, where it is let in', async () => {
  const [p, other] = [await withRunningJob(), await projectWithCi(CONFIG)]
  expect((await start(other.base, p.token)).status).toBe(404)
  await w.member(other.namespaceId, p.developer, 30)
  const refused = await start(other.base, p.token)
  expect([refused.status, refused.body.message]).toEqual([
    403,
    expect.stringContaining('Authentication by CI/CD job token not allowed'),
  ])
  await w.root.post(`${other.base}/job_token_scope/allowlist`, { target_project_id: p.id })
  const { status, body } = await start(other.base, p.token)
  expect([status, body.source, body.user.id]).toEqual([201, 'pipeline', p.developer.id])
  const { upstream_job_id } = await w.db
    .selectFrom('pipelines')
    .select('upstream_job_id')
    .where('id', '=', body.id)
    .executeTakeFirstOrThrow()
  expect(upstream_job_id).toBe(p.jobId)
  // How the pipeline goes is nothing to the job.
  await other.finish(body.id, 'build', 'failed')
  expect((await p.client.get('/job')).body.status).toBe('running')
  await p.finish(p.pipeline.id, 'build')
  const late = await start(other.base, p.token)
  expect([late.status, late.body.message]).toEqual([404, '404 Not found'])
})

test('a program in a job sends the token of the job beside that of a trigger', async () => {
  const p = await runningJob()
  const { body: trigger } = await p.maintainer.post(`${p.base}/triggers`, { description: 'Bot' })
  const send = (jobToken: string, token: string) =>
    new Client(w.url, { 'job-token': jobToken }).post(`${p.base}/trigger/pipeline`, { token, ref: 'main' })
  const started = await send(p.token, trigger.token)
  expect([started.status, started.body.source]).toEqual([201, 'trigger'])
  expect((await send(p.token, p.token)).body.source).toBe('pipeline')
  expect((await send('glcbt-wrong', trigger.token)).status).toBe(401)
})

test('pipelines that start each other by job tokens come to an end', async () => {
  const p = await withRunningJob()
  const { status, body } = await start(p.base, p.token)
  expect(status).toBe(201)
  // As if twenty had been started before, one by the other.
  let last = p.pipeline.id
  for (let level = 0; level < 20; level += 1) {
    const { id } = await p.create()
    const job = await w.db
      .selectFrom('ci_jobs')
      .select('id')
      .where('pipeline_id', '=', id)
      .executeTakeFirstOrThrow()
    await w.db.updateTable('pipelines').set({ upstream_job_id: job.id }).where('id', '=', last).execute()
    last = id
  }
  const refused = await start(p.base, p.token)
  expect([body.source, refused.status, refused.body.message]).toEqual([
    'pipeline',
    400,
    { base: ['Pipelines can start each other 20 times, and no more'] },
  ])
})
