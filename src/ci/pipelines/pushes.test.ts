import { expect, test } from 'vitest'
import { until } from '#test/until.ts'
import { projectWithCi } from '../test-support.ts'

const JOB = 'job: { script: x }'
interface ShownPipeline {
  readonly id: number
  readonly sha: string
  readonly ref: string
  readonly status: string
}
type Project = Awaited<ReturnType<typeof projectWithCi>>

const commit = async (p: Project, body: object = {}) => {
  const { status, body: made } = await p.developer.post(`${p.base}/repository/commits`, {
    branch: 'topic',
    start_branch: 'main',
    commit_message: 'Change',
    actions: [{ action: 'create', file_path: 'a.txt', content: 'a' }],
    ...body,
  })
  expect([status, made.message === undefined]).toEqual([201, false])
  return made.id as string
}
const pipelines = async (p: Project, query = '') =>
  (await p.developer.get(`${p.base}/pipelines?${query}`)).body
const untilPipelines = (
  p: Project,
  count: number,
  query = '',
): Promise<[ShownPipeline, ...ShownPipeline[]]> =>
  until(async () => {
    const all = await pipelines(p, query)
    expect(all).toHaveLength(count)
    return all
  })

test('a push to a branch, and a new tag, make pipelines', async () => {
  const p = await projectWithCi(`
${JOB}
only-tags: { script: x, only: [tags] }
with-change: { script: x, rules: [{ changes: [a.txt] }] }
without-change: { script: x, rules: [{ changes: [b.txt] }] }
`)
  const sha = await commit(p, { branch: 'main', start_branch: undefined })
  const [made] = await untilPipelines(p, 1)
  expect(made).toMatchObject({ sha, ref: 'main', source: 'push', status: 'pending' })
  expect(Object.keys(await p.statuses(made.id)).toSorted()).toEqual(['job', 'with-change'])
  const { body } = await p.developer.get(`${p.base}/pipelines/${made.id}`)
  expect([body.user.id, body.tag, body.before_sha]).toEqual([
    p.developer.id,
    false,
    expect.stringMatching(/^(?!0+$)/),
  ])
  await p.maintainer.post(`${p.base}/repository/tags`, { tag_name: 'v1', ref: 'main' })
  const [ofTag] = await untilPipelines(p, 1, 'ref=v1')
  expect(Object.keys(await p.statuses(ofTag.id))).toContain('only-tags')
  expect((await p.reporter.get(`${p.base}/pipelines/${ofTag.id}`)).body.tag).toBe(true)
  expect(await pipelines(p, 'scope=tags')).toEqual([expect.objectContaining({ id: ofTag.id })])
  expect((await p.reporter.get(`${p.base}/pipelines/latest`)).body.id).toBe(made.id)
})

test('a commit that says so makes a pipeline that is skipped', async () => {
  const p = await projectWithCi(JOB)
  await commit(p, { commit_message: 'Write docs [ci skip]' })
  const [made] = await untilPipelines(p, 1)
  expect([made.status, await p.jobs(made.id)]).toEqual(['skipped', []])
})

test('a configuration that is wrong makes a failed pipeline that says why', async () => {
  const p = await projectWithCi(JOB)
  await commit(p, {
    actions: [{ action: 'update', file_path: '.gitlab-ci.yml', content: 'job: { stage: none, script: x }' }],
  })
  const [made] = await untilPipelines(p, 1)
  const { body } = await p.developer.get(`${p.base}/pipelines/${made.id}`)
  expect(body).toMatchObject({ status: 'failed', yaml_errors: expect.stringContaining('stage none') })
  expect(await pipelines(p, 'yaml_errors=true')).toHaveLength(1)
  expect(await pipelines(p, 'yaml_errors=false')).toEqual([])
})

test('a newer commit cancels what has not begun, and what may be interrupted', async () => {
  const p = await projectWithCi(`
quick: { script: x, interruptible: true }
release: { script: x, stage: deploy }
`)
  await commit(p)
  const [first] = await untilPipelines(p, 1)
  await p.start(first.id, 'quick')
  await commit(p, { start_branch: undefined, actions: [{ action: 'create', file_path: 'b', content: '' }] })
  const [second] = await untilPipelines(p, 2)
  await until(async () => expect(await p.statusOf(first.id)).toBe('canceled'))
  await p.finish(second.id, 'quick')
  await p.start(second.id, 'release')
  await commit(p, { start_branch: undefined, actions: [{ action: 'create', file_path: 'c', content: '' }] })
  const [third] = await untilPipelines(p, 3)
  await commit(p, { start_branch: undefined, actions: [{ action: 'create', file_path: 'd', content: '' }] })
  await untilPipelines(p, 4)
  await until(async () => expect(await p.statusOf(third.id)).toBe('canceled'))
  expect(await p.statusOf(second.id)).toBe('running')
})

test('merge requests get pipelines of their jobs for merge requests', async () => {
  const p = await projectWithCi(`
branch: { script: x }
review: { script: x, rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }] }
for-main: { script: x, rules: [{ if: '$CI_MERGE_REQUEST_TARGET_BRANCH_NAME == "main"', changes: [a.txt] }] }
`)
  const sha = await commit(p)
  await untilPipelines(p, 1)
  const { body: request } = await p.developer.post(`${p.base}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'main',
    title: 'Topic',
  })
  const [made] = await untilPipelines(p, 1, 'source=merge_request_event')
  expect(made).toMatchObject({ sha, ref: `refs/merge-requests/${request.iid}/head` })
  expect(Object.keys(await p.statuses(made.id)).toSorted()).toEqual(['for-main', 'review'])
  const again = await commit(p, {
    start_branch: undefined,
    actions: [{ action: 'create', file_path: 'b', content: '' }],
  })
  const all = await untilPipelines(p, 2, 'source=merge_request_event')
  expect(all[0].sha).toBe(again)
})

test('no pipeline comes of a project without a configuration, or with pipelines switched off', async () => {
  const p = await projectWithCi(JOB)
  await p.owner.put(p.base, { builds_access_level: 'disabled' })
  await commit(p)
  expect((await p.developer.get(`${p.base}/pipelines`)).status).toBe(403)
  await p.owner.put(p.base, { builds_access_level: 'enabled' })
  await commit(p, { branch: 'other' })
  const all = await untilPipelines(p, 1)
  expect(all[0].ref).toBe('other')
})

test('variables tell of the tag, of open merge requests, of a deploy freeze and of the schedule', async () => {
  const p = await projectWithCi(`
always: { script: x }
tagged: { script: x, rules: [{ if: $CI_COMMIT_TAG_MESSAGE == "Release one" }] }
opened: { script: x, rules: [{ if: $CI_OPEN_MERGE_REQUESTS =~ /!1$/ }] }
frozen: { script: x, rules: [{ if: $CI_DEPLOY_FREEZE }] }
nightly: { script: x, rules: [{ if: $CI_PIPELINE_SCHEDULE_DESCRIPTION == "Nightly" }] }
`)
  const namesOf = async (body: object) => Object.keys(await p.statuses((await p.create(body)).id)).toSorted()
  expect(await namesOf({})).toEqual(['always'])
  await p.maintainer.post(`${p.base}/repository/tags`, {
    tag_name: 'v1',
    ref: 'main',
    message: 'Release one',
  })
  expect(await namesOf({ ref: 'v1' })).toEqual(['always', 'tagged'])
  await commit(p)
  await p.developer.post(`${p.base}/merge_requests`, {
    source_branch: 'topic',
    target_branch: 'main',
    title: 'x',
  })
  expect(await namesOf({ ref: 'topic' })).toEqual(['always', 'opened'])
  await p.maintainer.post(`${p.base}/freeze_periods`, { freeze_start: '0 0 1 1 *', freeze_end: '* * * * *' })
  expect(await namesOf({})).toEqual(['always', 'frozen'])

  const schedule = { description: 'Nightly', ref: 'main', cron: '0 1 * * *' }
  const { body } = await p.developer.post(`${p.base}/pipeline_schedules`, schedule)
  await p.developer.post(`${p.base}/pipeline_schedules/${body.id}/play`)
  const [made] = await untilPipelines(p, 1, 'source=schedule')
  expect(Object.keys(await p.statuses(made.id))).toContain('nightly')
})
