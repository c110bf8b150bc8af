import { expect, test } from 'vitest'
import { projectWithCi } from '#ci/test-support.ts'
import { type Actor, w } from '#test/world.ts'
import { allowReceivers, receiver, settled } from './test-support.ts'

allowReceivers()

/** Lets a runner have a job. @returns what payloads say of it */
async function runnerOf(
  project: { readonly id: number; readonly maintainer: Actor },
  job: { readonly id: number },
) {
  const { body } = await project.maintainer.post('/user/runners', {
    runner_type: 'project_type',
    project_id: project.id,
    description: 'Builder',
    tag_list: ['linux'],
  })
  await w.db.updateTable('ci_jobs').set({ runner_id: body.id }).where('id', '=', job.id).execute()
  const said = { description: 'Builder', runner_type: 'project_type', tags: ['linux'] }
  return { id: body.id, ...said, active: true, is_shared: false }
}

test('hooks hear of pipelines and jobs, with every status that they have', async () => {
  const p = await projectWithCi('job: { script: x }')
  const server = await receiver()
  const made = await p.maintainer.post(`${p.base}/hooks`, {
    url: server.url,
    push_events: false,
    pipeline_events: true,
    job_events: true,
  })
  const { id, iid } = await p.create()
  await p.start(id, 'job')
  const runner = await runnerOf(p, await p.job(id, 'job'))
  await p.finish(id, 'job', { status: 'failed', failureReason: 'script_failure' })
  await settled()
  const of = (kind: string) =>
    server.received.map(({ body }) => body).filter((body) => body.object_kind === kind)
  const pipelines = of('pipeline')
  expect(pipelines.map((body) => body.object_attributes.status)).toEqual(['pending', 'running', 'failed'])
  const sha = (await p.reporter.get(`${p.base}/repository/commits/main`)).body.id
  expect(pipelines[2]).toEqual({
    object_kind: 'pipeline',
    object_attributes: {
      id,
      iid,
      name: null,
      ref: 'main',
      tag: false,
      sha,
      before_sha: '0'.repeat(40),
      source: 'api',
      status: 'failed',
      detailed_status: 'failed',
      stages: ['test'],
      created_at: expect.stringMatching(/ UTC$/),
      finished_at: expect.stringMatching(/ UTC$/),
      duration: expect.any(Number),
      queued_duration: expect.any(Number),
      protected_ref: expect.any(Boolean),
      variables: [],
      url: expect.stringMatching(new RegExp(`/-/pipelines/${id}$`)),
    },
    merge_request: null,
    user: expect.objectContaining({ id: p.developer.id }),
    project: expect.objectContaining({ id: p.id }),
    commit: expect.objectContaining({
      id: sha,
      author: { name: expect.any(String), email: expect.any(String) },
    }),
    builds: [
      expect.objectContaining({
        name: 'job',
        status: 'failed',
        failure_reason: 'script_failure',
        runner,
      }),
    ],
  })
  expect(server.received[0]?.headers['x-gitlab-event']).toMatch(/Hook$/)
  const jobs = of('build')
  expect(jobs.map((body) => body.build_status)).toEqual(['pending', 'running', 'failed'])
  expect(jobs[2]).toMatchObject({
    build_name: 'job',
    build_stage: 'test',
    build_failure_reason: 'script_failure',
    runner,
    pipeline_id: id,
    ref: 'main',
    sha,
    retries_count: 0,
    commit: { id, sha, status: 'failed' },
    project: { id: p.id },
  })
  for (const trigger of ['pipeline_events', 'job_events'])
    expect((await p.maintainer.post(`${p.base}/hooks/${made.body.id}/test/${trigger}`)).status).toBe(201)
})
