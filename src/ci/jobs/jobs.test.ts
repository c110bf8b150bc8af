import { expect, test } from 'vitest'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'

const CONFIG = `
build: { stage: build, script: x, tags: [big], coverage: '/\\d+%/' }
manual: { stage: deploy, script: x, when: manual }
`

test('GET /projects/:id/jobs/:job_id answers with all fields of a job', async () => {
  const p = await projectWithCi(CONFIG)
  const { id } = await p.create()
  await p.finish(id, 'build', { status: 'failed', failureReason: 'script_failure', coverage: 81.5 })
  const { id: job } = await p.job(id, 'build')
  const { status, body } = await p.reporter.get(`${p.base}/jobs/${job}`)
  const pipeline = (await p.reporter.get(`${p.base}/pipelines`)).body[0]
  const { name: _, ...basic } = pipeline
  const commit = (await p.reporter.get(`${p.base}/repository/commits`)).body[0]
  expect([status, body]).toEqual([
    200,
    {
      id: job,
      status: 'failed',
      stage: 'build',
      name: 'build',
      ref: 'main',
      tag: false,
      coverage: 81.5,
      allow_failure: false,
      created_at: expect.any(String),
      started_at: null,
      finished_at: expect.any(String),
      erased_at: null,
      duration: null,
      queued_duration: null,
      user: expect.objectContaining({ id: p.developer.id, bio: '' }),
      commit,
      pipeline: basic,
      failure_reason: 'script_failure',
      web_url: expect.stringMatching(new RegExp(`/${p.fullPath}/-/jobs/${job}$`)),
      project: { ci_job_token_scope_enabled: false },
      artifacts: [],
      runner: null,
      runner_manager: null,
      artifacts_expire_at: null,
      archived: false,
      tag_list: ['big'],
    },
  ])
  expect((await p.reporter.get(`${p.base}/pipelines/${id}`)).body.coverage).toBe('81.50')
  const other = await projectWithCi(CONFIG)
  expect((await other.reporter.get(`${other.base}/jobs/${job}`)).status).toBe(404)
})

test('GET /projects/:id/jobs lists jobs newest first, by pages and by keyset', async () => {
  const p = await projectWithCi(CONFIG)
  const first = await p.create()
  const second = await p.create()
  await p.finish(first.id, 'build')
  const ids = async (query: string) => {
    const { body, headers } = await p.reporter.get(`${p.base}/jobs?${query}`)
    return { ids: body.map(({ id }: { id: number }) => id), link: headers.get('link') }
  }
  const all = (await ids('')).ids
  expect(all).toHaveLength(4)
  expect(all).toEqual(all.toSorted((a: number, b: number) => b - a))
  expect((await ids('scope[]=success&scope[]=manual')).ids).toHaveLength(2)
  expect((await ids('scope=success')).ids).toHaveLength(1)
  const page = await ids('pagination=keyset&per_page=3&order_by=id&sort=desc')
  expect(page.ids).toEqual(all.slice(0, 3))
  const next = /<([^>]+)>; rel="next"/.exec(page.link ?? '')?.[1] ?? ''
  const { body: rest } = await p.reporter.get(next.replace(/^.*\/api\/v4/, ''))
  expect(rest.map(({ id }: { id: number }) => id)).toEqual(all.slice(3))
  expect((await p.reporter.get(`${p.base}/jobs?pagination=keyset&sort=asc`)).status).toBe(405)
  expect((await p.reporter.get(`${p.base}/jobs?scope[]=nonsense`)).status).toBe(400)
  expect((await p.reporter.get(`${p.base}/pipelines/${second.id}/jobs`)).body).toHaveLength(2)
  expect((await p.reporter.get(`${p.base}/pipelines/1000000000/jobs`)).status).toBe(404)
})

test('jobs are canceled and erased, by those who may', async () => {
  const p = await projectWithCi(CONFIG)
  const { id } = await p.create()
  const { id: job } = await p.job(id, 'build')
  const act = async (who: typeof p.developer, what: string, at = job) => {
    const { status, body } = await who.post(`${p.base}/jobs/${at}/${what}`)
    return [status, body.message ?? body.status]
  }
  expect(await act(p.developer, 'erase')).toEqual([403, '403 Forbidden - Job is not erasable!'])
  expect(await act(p.reporter, 'cancel')).toEqual([403, '403 Forbidden'])
  expect(await act(p.developer, 'cancel')).toEqual([201, 'canceled'])
  expect(await act(p.developer, 'cancel')).toEqual([201, 'canceled'])
  const byOwner = await p.owner.post(`${p.base}/pipeline`, { ref: 'main' })
  const { id: foreign } = await p.job(byOwner.body.id, 'build')
  await p.owner.post(`${p.base}/jobs/${foreign}/cancel`)
  expect(await act(p.developer, 'erase', foreign)).toEqual([403, '403 Forbidden'])
  const { status, body } = await p.developer.post(`${p.base}/jobs/${job}/erase`)
  expect([status, body.erased_at]).toEqual([201, expect.any(String)])
})

test('a pipeline is named and deleted, and its variables are for those who started it', async () => {
  const p = await projectWithCi(
    'job: { script: x, rules: [{ if: $SECRET == "s" }] }\nother: { script: x, when: manual }',
  )
  const { id } = await p.create({ variables: [{ key: 'SECRET', value: 's', variable_type: 'file' }] })
  expect(Object.keys(await p.statuses(id))).toContain('job')
  const path = `${p.base}/pipelines/${id}`
  expect((await p.developer.get(`${path}/variables`)).body).toEqual([
    { key: 'SECRET', value: 's', variable_type: 'file', raw: false },
  ])
  expect((await p.maintainer.get(`${path}/variables`)).status).toBe(200)
  const another = await p.owner.post(`${p.base}/pipeline`, { ref: 'main' })
  expect((await p.developer.get(`${p.base}/pipelines/${another.body.id}/variables`)).status).toBe(403)
  expect((await p.developer.put(`${path}/metadata`, { name: 'Nightly' })).body.name).toBe('Nightly')
  expect((await p.developer.get(`${p.base}/pipelines?name=Nightly`)).body).toHaveLength(1)
  expect((await p.maintainer.delete(path)).status).toBe(403)
  expect((await p.owner.delete(path)).status).toBe(204)
  expect((await p.owner.get(path)).status).toBe(404)
})

test('variables of a played job are kept for it alone, encrypted', async () => {
  const p = await projectWithCi(CONFIG)
  const { id } = await p.create()
  await p.finish(id, 'build')
  const { id: job } = await p.job(id, 'manual')
  const { status } = await p.developer.post(`${p.base}/jobs/${job}/play`, {
    job_variables_attributes: [{ key: 'WHERE', value: 'there' }],
  })
  expect(status).toBe(200)
  const rows = await p.variablesOf(job)
  expect(rows).toEqual([{ job_id: job, key: 'WHERE', value: expect.any(Buffer) }])
  expect(rows[0]?.value.includes('there')).toBe(false)
})

test('project members see pipelines only from Reporter on where jobs are not public', async () => {
  const p = await projectWithCi(CONFIG)
  expect((await p.guest.get(`${p.base}/pipelines`)).status).toBe(200)
  await p.owner.put(p.base, { public_jobs: false })
  expect((await p.guest.get(`${p.base}/pipelines`)).status).toBe(403)
  expect((await p.reporter.get(`${p.base}/pipelines`)).status).toBe(200)
})

test('of two who retry one job, or cancel and finish it, both get what they asked for or a refusal', async () => {
  const p = await projectWithCi(CONFIG)
  const { id } = await p.create()
  const { id: job } = await p.job(id, 'build')
  const [canceled, finished] = await Promise.allSettled([
    p.developer.post(`${p.base}/jobs/${job}/cancel`),
    p.finish(id, 'build'),
  ])
  expect(canceled.status === 'fulfilled' && canceled.value.status).toBe(201)
  const { status } = await p.job(id, 'build')
  expect(status).toBe(finished.status === 'fulfilled' ? 'success' : 'canceled')
  const answers = await Promise.all(
    [1, 2].map(async () => (await p.developer.post(`${p.base}/jobs/${job}/retry`)).status),
  )
  expect(answers.toSorted((a, b) => a - b)).toEqual([201, 403])
  const deleting = await Promise.all([
    p.owner.delete(`${p.base}/pipelines/${id}`),
    p.developer.post(`${p.base}/pipelines/${id}/retry`),
  ])
  expect(deleting.every((answer) => [201, 204, 404].includes(answer.status))).toBe(true)
  await until(async () => expect((await p.owner.get(`${p.base}/pipelines/${id}`)).status).toBe(404))
})

test('metrics tell how many jobs wait and run, and for how long', async () => {
  const value = async (name: string) => {
    const page = await (await fetch(`${w.url}/-/metrics`)).text()
    const line = page.split('\n').find((one) => one.startsWith(`${name} `))
    return Number(line?.slice(name.length))
  }
  const p = await projectWithCi(CONFIG)
  const before = [
    await value('forgelet_ci_jobs{state="pending"}'),
    await value('forgelet_ci_jobs{state="running"}'),
  ]
  const { id } = await p.create()
  expect(await value('forgelet_ci_jobs{state="pending"}')).toBe(Number(before[0]) + 1)
  expect(await value('forgelet_ci_oldest_pending_job_seconds')).toEqual(expect.any(Number))
  await p.start(id, 'build')
  expect(await value('forgelet_ci_jobs{state="pending"}')).toBe(before[0])
  expect(await value('forgelet_ci_jobs{state="running"}')).toBe(Number(before[1]) + 1)
  expect(await value('forgelet_ci_configurations{state="running"}')).toBe(0)
})
