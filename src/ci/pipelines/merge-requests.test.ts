import { expect, test } from 'vitest'
import { until } from '#test/until.ts'
import { projectWithCi } from '../test-support.ts'

/** A project with a merge request whose branch has a pipeline. */
async function opened(settings: object = {}, config = 'job: { script: x }') {
  const p = await projectWithCi(config)
  await p.maintainer.put(p.base, settings)
  await p.developer.post(`${p.base}/repository/commits`, {
    branch: 'topic',
    start_branch: 'main',
    commit_message: 'Change',
    actions: [{ action: 'create', file_path: 'a.txt', content: 'a' }],
  })
  const { body } = await p.developer.post(`${p.base}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'main',
    title: 'Topic',
  })
  const path = `${p.base}/merge_requests/${body.iid}`
  const look = async () => (await p.developer.get(path)).body
  const pipeline = await until(async () => {
    const { head_pipeline } = await look()
    expect(head_pipeline).not.toBeNull()
    return head_pipeline
  })
  const untilStatus = (status: string) =>
    until(async () => expect((await look()).detailed_merge_status).toBe(status))
  return { ...p, path, look, pipeline, untilStatus }
}

test('a merge request shows the pipeline of its tip, and lists its pipelines', async () => {
  const p = await opened()
  const { body: pipeline } = await p.developer.get(`${p.base}/pipelines/${p.pipeline.id}`)
  const { head_pipeline, pipeline: basic, latest_build_finished_at } = await p.look()
  expect(head_pipeline).toEqual(pipeline)
  expect([basic.id, latest_build_finished_at]).toEqual([pipeline.id, null])
  expect((await p.developer.get(`${p.path}/pipelines`)).body).toEqual([basic])
  await p.finish(pipeline.id, 'job')
  expect((await p.look()).latest_build_finished_at).toEqual(expect.any(String))
  await p.owner.put(p.base, { public_jobs: false })
  expect((await p.guest.get(p.path)).status).toBe(403)
})

test('POST …/pipelines makes a pipeline of a merge request', async () => {
  const p = await opened({}, 'job: { script: x, rules: [{ when: always }] }')
  const { status, body } = await p.developer.post(`${p.path}/pipelines`)
  expect([status, body.source, body.ref]).toEqual([
    201,
    'merge_request_event',
    expect.stringMatching(/^refs\/merge-requests\/\d+\/head$/),
  ])
  expect((await p.reporter.post(`${p.path}/pipelines`)).status).toBe(403)
  await p.developer.put(p.path, { state_event: 'close' })
  expect((await p.developer.post(`${p.path}/pipelines`)).status).toBe(405)
})

test('where the project demands it, only what has passed is merged', async () => {
  const p = await opened({ only_allow_merge_if_pipeline_succeeds: true })
  await p.untilStatus('ci_still_running')
  expect((await p.maintainer.put(`${p.path}/merge`)).status).toBe(405)
  await p.finish(p.pipeline.id, 'job', 'failed')
  await p.untilStatus('ci_must_pass')
  const { body: jobs } = await p.developer.get(`${p.base}/pipelines/${p.pipeline.id}/jobs`)
  await p.developer.post(`${p.base}/jobs/${jobs[0].id}/retry`)
  await p.finish(p.pipeline.id, 'job')
  await p.untilStatus('mergeable')
  expect((await p.maintainer.put(`${p.path}/merge`)).body.state).toBe('merged')
})

test('a skipped pipeline counts where the project lets it', async () => {
  const p = await opened({ only_allow_merge_if_pipeline_succeeds: true }, 'job: { script: x, when: manual }')
  await p.untilStatus('ci_must_pass')
  await p.maintainer.put(p.base, { allow_merge_on_skipped_pipeline: true })
  await p.untilStatus('mergeable')
  expect((await p.maintainer.put(`${p.path}/merge`)).body.state).toBe('merged')
})

test('an automatic merge waits for the pipeline', async () => {
  const p = await opened()
  await p.untilStatus('mergeable')
  const { body } = await p.maintainer.put(`${p.path}/merge`, { merge_when_pipeline_succeeds: true })
  expect([body.state, body.merge_when_pipeline_succeeds]).toEqual(['opened', true])
  await p.finish(p.pipeline.id, 'job')
  await until(async () => expect((await p.look()).state).toBe('merged'))
})
