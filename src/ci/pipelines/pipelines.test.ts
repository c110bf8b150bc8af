import { describe, expect, test } from 'vitest'
import { projectWithCi } from '../test-support.ts'

const CONFIG = `
stages: [build, test, deploy]
compile: { stage: build, script: make }
lint: { stage: build, script: lint, allow_failure: true }
unit: { stage: test, script: test }
deploy: { stage: deploy, script: deploy, when: manual }
after: { stage: .post, script: tell, when: always }
on-failure: { stage: .post, script: help, when: on_failure }
`

describe('POST /projects/:id/pipeline', () => {
  test('answers 201 with all fields of a pipeline, whose first jobs are pending', async () => {
    const p = await projectWithCi(CONFIG)
    const sha = (await p.reporter.get(`${p.base}/repository/commits/main`)).body.id
    const { status, body } = await p.developer.post(`${p.base}/pipeline`, { ref: 'main' })
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(Number),
        iid: 1,
        project_id: p.id,
        sha,
        ref: 'main',
        status: 'pending',
        source: 'api',
        created_at: expect.any(String),
        updated_at: body.created_at,
        web_url: expect.stringMatching(new RegExp(`/${p.fullPath}/-/pipelines/${body.id}$`)),
        name: null,
        before_sha: '0'.repeat(40),
        tag: false,
        yaml_errors: null,
        user: expect.objectContaining({ id: p.developer.id }),
        started_at: null,
        finished_at: null,
        committed_at: expect.any(String),
        duration: null,
        queued_duration: null,
        coverage: null,
        detailed_status: {
          icon: 'status_pending',
          text: 'Pending',
          label: 'pending',
          group: 'pending',
          tooltip: 'pending',
          has_details: true,
          details_path: `/${p.fullPath}/-/pipelines/${body.id}`,
          illustration: null,
          favicon: '/assets/ci_favicons/favicon_status_pending.png',
        },
        archived: false,
      },
    ])
    expect(await p.statuses(body.id)).toEqual({
      compile: 'pending',
      lint: 'pending',
      unit: 'created',
      deploy: 'created',
      after: 'created',
      'on-failure': 'created',
    })
  })

  test('refuses a reference that is not there, a missing and a wrong configuration', async () => {
    const p = await projectWithCi('job: { stage: nowhere, script: x }')
    const refusal = async (body: object) => {
      const { status, body: said } = await p.developer.post(`${p.base}/pipeline`, body)
      return [status, said.message]
    }
    expect(await refusal({ ref: 'none' })).toEqual([400, { base: ['Reference not found'] }])
    expect(await refusal({})).toEqual([400, '400 (Bad request) "ref" not given'])
    expect(await refusal({ ref: 'main' })).toEqual([400, { base: [expect.stringContaining('nowhere')] }])
    const empty = await projectWithCi('job: { script: x }')
    await empty.maintainer.delete(`${empty.base}/repository/files/.gitlab-ci.yml`, {
      branch: 'main',
      commit_message: 'x',
    })
    const { status, body } = await empty.developer.post(`${empty.base}/pipeline`, { ref: 'main' })
    expect([status, body.message]).toEqual([400, { base: ['Missing CI config file'] }])
    const filtered = await projectWithCi('workflow: { rules: [{ if: $NEVER }] }\njob: { script: x }')
    const { body: said } = await filtered.developer.post(`${filtered.base}/pipeline`, { ref: 'main' })
    expect(said.message).toEqual({ base: ['Pipeline filtered out by workflow rules.'] })
  })

  test('needs the right to push to or merge into a protected branch', async () => {
    const p = await projectWithCi('job: { script: x }')
    await p.maintainer.post(`${p.base}/protected_branches`, {
      name: 'main',
      push_access_level: 40,
      merge_access_level: 40,
    })
    const { status, body } = await p.developer.post(`${p.base}/pipeline`, { ref: 'main' })
    expect([status, body.message]).toEqual([
      400,
      {
        base: [
          "You do not have sufficient permission to run a pipeline on 'main'. Please select a different branch or contact your administrator for assistance.",
        ],
      },
    ])
    expect((await p.maintainer.post(`${p.base}/pipeline`, { ref: 'main' })).status).toBe(201)
  })
})

describe('the states of a pipeline', () => {
  test('follow its jobs from stage to stage', async () => {
    const p = await projectWithCi(CONFIG)
    const { id } = await p.create()
    await p.start(id, 'compile')
    expect(await p.statusOf(id)).toBe('running')
    await p.finish(id, 'compile')
    expect(await p.statuses(id)).toMatchObject({ compile: 'success', lint: 'pending', unit: 'created' })
    await p.finish(id, 'lint', { status: 'failed', failureReason: 'script_failure' })
    expect(await p.statuses(id)).toMatchObject({ lint: 'failed', unit: 'pending', deploy: 'created' })
    expect((await p.job(id, 'lint')).failure_reason).toBe('script_failure')
    await p.finish(id, 'unit')
    expect(await p.statuses(id)).toMatchObject({
      deploy: 'manual',
      after: 'pending',
      'on-failure': 'skipped',
    })
    await p.finish(id, 'after')
    const { body } = await p.reporter.get(`${p.base}/pipelines/${id}`)
    expect(body).toMatchObject({
      status: 'success',
      detailed_status: { text: 'Warning', label: 'passed with warnings', group: 'success-with-warnings' },
      started_at: expect.any(String),
      finished_at: expect.any(String),
      duration: expect.any(Number),
    })
  })

  test('a failed job skips what follows, but for jobs that run always or on failure', async () => {
    const p = await projectWithCi(CONFIG)
    const { id } = await p.create()
    await p.finish(id, 'lint')
    await p.finish(id, 'compile', 'failed')
    expect(await p.statuses(id)).toMatchObject({
      unit: 'skipped',
      deploy: 'skipped',
      after: 'pending',
      'on-failure': 'pending',
    })
    await p.finish(id, 'after')
    await p.finish(id, 'on-failure')
    expect(await p.statusOf(id)).toBe('failed')
  })

  test('a retried job lets what was skipped behind it wait again', async () => {
    const p = await projectWithCi(CONFIG)
    const { id } = await p.create()
    await p.finish(id, 'lint')
    await p.finish(id, 'compile', 'failed')
    const { id: failed } = await p.job(id, 'compile')
    const again = await p.developer.post(`${p.base}/jobs/${failed}/retry`)
    expect([again.status, again.body]).toEqual([
      201,
      expect.objectContaining({ name: 'compile', status: 'pending' }),
    ])
    expect(again.body.id).toBeGreaterThan(failed)
    expect(await p.statuses(id)).toMatchObject({ unit: 'created', deploy: 'created' })
    await p.finish(id, 'compile')
    expect(await p.statuses(id)).toMatchObject({ unit: 'pending' })
    expect((await p.jobs(id, '&include_retried=true')).filter(({ name }) => name === 'compile')).toHaveLength(
      2,
    )
    const { status, body } = await p.developer.post(`${p.base}/jobs/${failed}/retry`)
    expect([status, body.message]).toEqual([403, '403 Forbidden - Job is not retryable'])
  })

  test('a manual job that must be done holds the stages behind it', async () => {
    const p = await projectWithCi(`
stages: [gate, deploy]
approve: { stage: gate, script: x, when: manual, allow_failure: false }
deploy: { stage: deploy, script: x }
`)
    const { id, status } = await p.create()
    expect([status, await p.statuses(id)]).toEqual(['manual', { approve: 'manual', deploy: 'created' }])
    const { id: gate } = await p.job(id, 'approve')
    const played = await p.maintainer.post(`${p.base}/jobs/${gate}/play`)
    expect([played.status, played.body.status, played.body.user.id]).toEqual([
      200,
      'pending',
      p.maintainer.id,
    ])
    const { status: refused, body } = await p.maintainer.post(`${p.base}/jobs/${gate}/play`)
    expect([refused, body.message]).toEqual([400, '400 Bad request - Unplayable Job'])
    await p.finish(id, 'approve')
    expect(await p.statuses(id)).toEqual({ approve: 'success', deploy: 'pending' })
  })

  test('needs let jobs start before their stage, and skip what needs something skipped', async () => {
    const p = await projectWithCi(`
stages: [a, b, c]
slow: { stage: a, script: x }
quick: { stage: a, script: x }
early: { stage: c, script: x, needs: [quick] }
later: { stage: c, script: x, needs: [early] }
free: { stage: c, script: x, needs: [] }
waits: { stage: b, script: x }
`)
    const { id } = await p.create()
    expect(await p.statuses(id)).toMatchObject({ free: 'pending', early: 'created', waits: 'created' })
    await p.finish(id, 'quick')
    expect(await p.statuses(id)).toMatchObject({ early: 'pending', later: 'created', waits: 'created' })
    await p.finish(id, 'early', 'failed')
    expect(await p.statuses(id)).toMatchObject({ later: 'skipped', slow: 'pending' })
  })

  test('canceling ends all jobs that have not, and retrying runs them again', async () => {
    const p = await projectWithCi(CONFIG)
    const { id } = await p.create()
    await p.finish(id, 'compile')
    const { status, body } = await p.developer.post(`${p.base}/pipelines/${id}/cancel`)
    expect([status, body.status]).toEqual([200, 'canceled'])
    expect(await p.statuses(id)).toMatchObject({ compile: 'success', lint: 'canceled', unit: 'canceled' })
    const again = await p.developer.post(`${p.base}/pipelines/${id}/retry`)
    expect([again.status, again.body.status]).toEqual([201, 'running'])
    expect(await p.statuses(id)).toMatchObject({ compile: 'success', lint: 'pending', unit: 'created' })
  })

  test('a delayed job starts when its time has come', async () => {
    const p = await projectWithCi('job: { script: x, when: delayed, start_in: 1 second }')
    const { id, status } = await p.create()
    expect(status).toBe('scheduled')
    await p.untilJob(id, 'job', 'pending')
  })
})

test('what runs for a protected branch is changed by those who may push to it', async () => {
  const p = await projectWithCi('job: { script: x }')
  const { id } = await p.create()
  const { id: job } = await p.job(id, 'job')
  await p.maintainer.post(`${p.base}/protected_branches`, {
    name: 'main',
    push_access_level: 40,
    merge_access_level: 40,
  })
  const paths = [
    ...['cancel', 'retry', 'play', 'erase'].map((verb) => `${p.base}/jobs/${job}/${verb}`),
    ...['cancel', 'retry'].map((verb) => `${p.base}/pipelines/${id}/${verb}`),
  ]
  for (const path of paths) expect((await p.developer.post(path)).status).toBe(403)
  const named = await p.developer.put(`${p.base}/pipelines/${id}/metadata`, { name: 'x' })
  expect(named.status).toBe(403)
  expect((await p.maintainer.post(`${p.base}/jobs/${job}/cancel`)).status).toBe(201)
})
