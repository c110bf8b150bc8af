import { expect, test } from 'vitest'
import { runner } from '#ci/job-requests/test-support.ts'
import { projectWithCi } from '#ci/test-support.ts'
import { until } from '#test/until.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { saidIn } from '../test-support.ts'

const BROWSER = { accept: 'text/html' }
const stranger = new Visitor(w.url, { headers: BROWSER })

const CONFIG = `
stages: [build, test, deploy]
compile: { stage: build, script: make, tags: [fast] }
unit: { stage: test, script: make test, allow_failure: true }
<b>bold</b>: { stage: test, script: x }
below: { stage: deploy, trigger: { include: below.yml } }
`
const BELOW = 'inner: { script: x }'

async function shownPipeline(visibility: 'public' | 'private' = 'public') {
  const p = await projectWithCi(CONFIG, { visibility, files: { 'below.yml': BELOW } })
  const { id } = await p.create()
  return { p, id, page: `/${p.fullPath}/-` }
}

/** A running job to whose log its runner writes. */
async function runningJob(visibility: 'public' | 'private' = 'public') {
  const p = await projectWithCi('build: { script: x }', { visibility })
  const { id: pipeline } = await p.create()
  const job = await (await runner({ project: p.id })).take()
  return { p, pipeline, job, page: `/${p.fullPath}/-/jobs/${job.id}` }
}

test('a pipeline shows its stages with their jobs in the order of the configuration', async () => {
  const { p, id, page } = await shownPipeline()
  await p.finish(id, 'compile')
  await p.finish(id, 'unit', { status: 'failed', failureReason: 'script_failure' })
  const { text } = await stranger.get(`${page}/pipelines/${id}`)
  const stages = [...text.matchAll(/<h2>(\w+)<\/h2>/g)].map(([, name]) => name)
  expect(stages).toEqual(['build', 'test', 'deploy'])
  expect(text).toContain('&lt;b&gt;bold&lt;/b&gt;')
  expect(text).toContain('may fail')
  const list = await stranger.get(`${page}/pipelines`)
  expect(list.text).toContain(`href="${page}/pipelines/${id}"`)
  expect((await stranger.get(`${page}/pipelines?status=canceled&ref=&source=`)).text).toContain(
    'No pipeline fits',
  )
  expect((await stranger.get(`${page}/pipelines?status=none`)).status).toBe(400)
  const { id: compile } = await p.job(id, 'compile')
  await p.developer.post(`${p.base}/jobs/${compile}/retry`)
  const again = (await stranger.get(`${page}/pipelines/${id}`)).text
  expect([...again.matchAll(/<h2>(\w+)<\/h2>/g)].map(([, name]) => name)).toEqual(stages)
  expect(again).toContain('run 2')
  await p.finish(id, 'compile')
  await p.finish(id, '<b>bold</b>')
  await until(async () =>
    expect((await stranger.get(`${page}/pipelines/${id}`)).text).toMatch(
      /→\s*<a href="[^"]+\/-\/pipelines\/\d+"/,
    ),
  )
})

test('a wrong configuration is shown as the reason', async () => {
  const p = await projectWithCi('build: { script: 1, stage: "<i>none</i>" }', { visibility: 'public' })
  await p.developer.post(`${p.base}/repository/commits`, {
    branch: 'topic',
    start_branch: 'main',
    commit_message: 'Push',
    actions: [{ action: 'create', file_path: 'a', content: 'a' }],
  })
  const id = await until(async () => {
    const { body } = await p.developer.get(`${p.base}/pipelines`)
    expect(body.length).toBe(1)
    return body[0].id
  })
  const { text } = await stranger.get(`/${p.fullPath}/-/pipelines/${id}`)
  expect(text).toContain('The configuration is wrong')
  expect(text).not.toContain('<i>none')
})

test('what somebody may not see is like what is not there', async () => {
  const { p, id, page } = await shownPipeline('private')
  const { id: job } = await p.job(id, 'unit')
  const missing = await stranger.get('/nobody/nothing')
  for (const path of [
    'pipelines',
    `pipelines/${id}`,
    `pipelines/${id}/test_report`,
    'jobs',
    `jobs/${job}`,
    `jobs/${job}/raw`,
    'pipeline_schedules',
  ]) {
    const shown = await stranger.get(`${page}/${path}`)
    expect([path, shown.status, saidIn(shown)]).toEqual([path, 404, saidIn(missing)])
  }
  const { visitor, ...me } = await signedIn(w)
  await w.member((await w.root.get(`/projects/${p.id}`)).body.namespace.id, me, 20)
  expect((await visitor.get(`${page}/pipelines/${id}`, BROWSER)).status).toBe(200)
  const other = await shownPipeline()
  expect((await stranger.get(`${other.page}/pipelines/${id}`)).status).toBe(404)
  expect((await stranger.get(`${other.page}/jobs/${job}`)).status).toBe(404)
})

test('a log has its colors and sections, and nothing of it is HTML', async () => {
  const { job, page } = await runningJob()
  await job.trace(
    [
      '\x1b[0Ksection_start:100:step_script\r\x1b[0K\x1b[36;1mExecuting "step_script"\x1b[0;m',
      '<script>alert(1)</script>',
      '\x1b[31mred\x1b[0m plain \x1b[38;5;208morange\x1b[48;2;0;0;255mon blue\x1b[m',
      'progress 1%\rprogress 100%\x1b[K',
      '\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07',
      'section_start:101:inner[collapsed=true]\rInner',
      'within',
      'section_end:103:inner\r',
      'section_end:165:step_script\r\x1b[0K\x1b[32mJob succeeded\x1b[0m',
      '',
    ].join('\n'),
  )
  await job.update('success')
  const { text } = await stranger.get(page)
  expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;\n')
  expect(text).toContain('<span class="f1">red</span> plain <span class="f9">orange</span>')
  expect(text).toContain('progress 100%\n')
  expect(text).not.toContain('progress 1%')
  expect(text).not.toContain('javascript:')
  expect(text).toMatch(/<details open>\s*<summary>\s*<span class="bold f6">Executing/)
  expect(text).toMatch(/<details\s*>\s*<summary>\s*Inner\s*<span class="took">2 s</)
  expect(text).toContain('<span class="took">1 min 5 s</span>')
  expect(text).toContain('<span class="f2">Job succeeded</span>')
  expect(text).not.toContain('section_')
  expect(text).not.toContain('<live-log')
  const raw = await stranger.get(`${page}/raw`)
  expect([raw.status, raw.headers.location]).toEqual([302, expect.stringMatching(/\/trace$/)])
})

test('of a long log, parts of whole lines are shown, the last one first', async () => {
  const { job, page } = await runningJob()
  const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index} é ${'x'.repeat(30)}\n`)
  for (let at = 0; at < lines.length; at += 5_000) await job.trace(lines.slice(at, at + 5_000).join(''))
  await job.update('success')
  const seen: string[] = []
  let next: string | undefined = page
  for (let n = 0; next !== undefined && n < 10; n += 1) {
    const { status, text } = await stranger.get(next)
    expect([next, status, text.length < 400_000]).toEqual([next, 200, true])
    seen.unshift(...(text.match(/line \d+ é x{30}\n/g) ?? []))
    next = /href="([^"]*\?before=\d+)#log"/.exec(text)?.[1]
  }
  expect(seen.length).toBe(lines.length)
  expect(seen.join('')).toBe(lines.join(''))
  const first = await stranger.get(`${page}?after=0`)
  expect(first.text).toContain('line 0 é')
  const after = /href="([^"]*\?after=\d+)#log"/.exec(first.text)?.[1] ?? ''
  const second = await stranger.get(after)
  const last = first.text.match(/line (\d+) é/g)?.at(-1)
  expect(second.text.match(/line (\d+) é/)?.[0]).toBe(`line ${Number(/\d+/.exec(last ?? '')?.[0]) + 1} é`)
  for (const odd of ['?before=0', '?before=1', '?after=999999999999', '?after=-1', '?before=x'])
    expect([odd, (await stranger.get(page + odd)).status < 500]).toEqual([odd, true])
})

test('a merge request shows its last pipeline, and has a page of all', async () => {
  const { p, page } = await shownPipeline()
  const commit = { branch: 'topic', start_branch: 'main', commit_message: 'Change' }
  const actions = [{ action: 'create', file_path: 'new.txt', content: 'new' }]
  expect((await p.developer.post(`${p.base}/repository/commits`, { ...commit, actions })).status).toBe(201)
  const branches = { source_branch: 'topic', target_branch: 'main' }
  const made = await p.developer.post(`${p.base}/merge_requests`, { ...branches, title: 'Change it' })
  expect(made.status).toBe(201)
  const request = `${page}/merge_requests/${made.body.iid}`
  const { id } = await until(async () => {
    const { body } = await p.developer.get(`${p.base}/merge_requests/${made.body.iid}`)
    expect(body.head_pipeline).toMatchObject({ ref: 'topic' })
    return body.head_pipeline
  })
  for (const path of ['', '/pipelines'])
    expect((await stranger.get(request + path)).text).toContain(`href="${page}/pipelines/${id}"`)
  expect((await stranger.get(`${request}/pipelines?page=2`)).text).toContain('There is nothing more.')
})

test('a job that runs has a log that grows, and no page else may ask', async () => {
  const { job, page } = await runningJob()
  await job.trace('one\ntwo')
  const { text, headers } = await stranger.get(page)
  expect(text).toMatch(/<live-log[^>]*data-at="4"/)
  expect(text).toContain('src="/-/islands/live-log.js"')
  expect(headers['content-security-policy']).toContain("connect-src 'self'")
  const script = await stranger.get('/-/islands/live-log.js')
  expect([script.status, script.text.includes('innerHTML')]).toEqual([200, false])
  await job.update('failed', { failure_reason: 'job_execution_timeout' })
  const ended = await stranger.get(page)
  expect(ended.text).toContain('It ran longer than it may.')
  expect(ended.text).toContain('one\ntwo')
  expect(ended.headers['content-security-policy']).not.toContain('connect-src')
})

test('a job that no runner takes says what it waits for, and leads those who may to the runners', async () => {
  const { p, id, page } = await shownPipeline()
  const job = await p.job(id, 'compile')
  const { text } = await stranger.get(`${page}/jobs/${job.id}`)
  for (const part of ['A runner takes it that has its tags: fast.', 'ask a maintainer'])
    expect(text).toContain(part)
  const { visitor, ...me } = await signedIn(w)
  await w.member((await w.root.get(`/projects/${p.id}`)).body.namespace.id, me, 40)
  const maintained = await visitor.get(`${page}/jobs/${job.id}`, BROWSER)
  expect(maintained.text).toMatch(/settings\/ci_cd">look at its runners/)
})

test('a job says which others it waits for, where it does not wait for stages', async () => {
  const needs = Array.from({ length: 7 }, (_, n) => `job-${n}`)
  const others = needs.map((name) => `${name}: { script: x }`).join('\n')
  const config = `${others}\nlast: { script: x, needs: [${needs.join(', ')}] }\nfirst: { script: x, needs: [] }`
  const p = await projectWithCi(config, { visibility: 'public' })
  const { id } = await p.create()
  const { text } = await stranger.get(`/${p.fullPath}/-/pipelines/${id}`)
  expect(text).toContain('after job-0, job-1, job-2, job-3, job-4 and 2 more')
  expect(text).toContain('waits for no other job')
  const { body } = await p.developer.get(`${p.base}/pipelines/${id}/jobs?with_needs=true&per_page=100`)
  const found = new Map(body.map((job: { name: string; needs?: string[] }) => [job.name, job.needs]))
  expect(found.get('last')).toEqual(needs)
  expect([found.get('first'), found.get('job-0')]).toEqual([[], undefined])
  expect((await p.jobs(id))[0]).not.toHaveProperty('needs')
})

test('the files that a job left behind are listed by folder, and lead to the API', async () => {
  const p = await projectWithCi('job: { script: x }', { visibility: 'public' })
  const { id } = await p.create()
  const artifacts = { 'out/a <b>/c d.txt': 'c', 'one.txt': 'one' }
  const job = await p.run(id, 'job', { status: 'success', artifacts })
  const page = `/${p.fullPath}/-/jobs/${job}`
  const api = `/api/v4/projects/${p.id}/jobs/${job}/artifacts`
  const shown = async (path: string) => (await stranger.get(`${page}${path}`)).text
  expect(await shown('')).toContain(`href="${page}/artifacts/browse"`)
  const root = await shown('/artifacts/browse')
  expect(root).toContain(`href="${page}/artifacts/browse/out"`)
  expect(root).toContain(`href="${api}/one.txt"`)
  const inside = await shown('/artifacts/browse/out/a%20%3Cb%3E')
  expect(inside).toContain('a &lt;b&gt;')
  const address = `${api}/out/a%20%3Cb%3E/c%20d.txt`
  expect(inside).toContain(`href="${address}"`)
  expect((await stranger.get(address)).text).toBe('c')
  const file = await stranger.get(`${page}/artifacts/file/out/a%20%3Cb%3E/c%20d.txt`)
  expect([file.status, file.headers.location]).toEqual([302, address])
  expect((await stranger.get(`${page}/artifacts/download`)).headers.location).toBe(api)
  expect((await stranger.get(`${page}/artifacts/browse/none`)).status).toBe(404)
})

test('lists of jobs and schedules, and what jobs left behind', async () => {
  const { p, job, page } = await runningJob()
  await job.upload('zip', { artifact_type: 'archive', artifact_format: 'zip' })
  await p.developer.post(`${p.base}/pipeline_schedules`, {
    description: '<u>Nightly</u>',
    ref: 'main',
    cron: '0 1 * * *',
  })
  const { text } = await stranger.get(page)
  expect(text).toContain(`href="/api/v4/projects/${p.id}/jobs/${job.id}/artifacts"`)
  const place = `/${p.fullPath}/-`
  expect((await stranger.get(`${place}/jobs`)).text).toContain(`href="${page}"`)
  expect((await stranger.get(`${place}/jobs?scope=success,failed,canceled`)).text).toContain(
    'There is no such job.',
  )
  const { visitor, ...me } = await signedIn(w)
  await w.member((await w.root.get(`/projects/${p.id}`)).body.namespace.id, me, 30)
  expect((await visitor.get(`${place}/pipeline_schedules`, BROWSER)).text).toContain(
    '&lt;u&gt;Nightly&lt;/u&gt;',
  )
})
