import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { w } from '#test/world.ts'
import { zipOf } from '../artifacts/zip.ts'
import { failStuckJobs } from '../jobs/fail-stuck-jobs.ts'
import { projectWithCi } from '../test-support.ts'
import { ALL_FEATURES, patchTrace, runner } from './test-support.ts'

// What real runners demand of each request. A pipeline of this file has the jobs of one test, which a runner of their tag takes.

/** What one widespread client announces, and no more. */
const FEW = ['upload_multiple_artifacts', 'refspecs']

const jobs: Readonly<Record<string, object>> = {
  whole: {
    before_script: ['prepare'],
    script: ['make', 'make check'],
    after_script: ['clean'],
    hooks: { pre_get_sources_script: ['hook'] },
    image: { name: 'alpine:$RELEASE', entrypoint: ['sh'], pull_policy: 'always', docker: { user: 'me' } },
    services: ['redis', { name: 'postgres:$RELEASE', alias: 'db', variables: { A: '1' } }],
    cache: [
      { key: 'k-$CI_COMMIT_REF_SLUG', paths: ['node_modules/'] },
      { key: { files: ['lock'] }, paths: ['x'] },
    ],
    artifacts: {
      name: '$CI_JOB_NAME',
      paths: ['out/$CI_COMMIT_REF_NAME'],
      expire_in: '1 week',
      reports: { junit: 'a.xml', codequality: 'b.json' },
    },
    timeout: '2h',
    variables: {
      RELEASE: '3.20',
      OWN: 'in $CI_PROJECT_DIR of $CI_PROJECT_PATH',
      PRICE: { value: '5$', expand: false },
      CIRCLE: '$CIRCLE',
    },
  },
  log: { script: 'x' },
  masked: { script: 'x' },
  canceled: { script: 'x' },
  ends: { script: 'x' },
  release: { script: 'x', release: { tag_name: 'v1', description: 'The "first"' } },
  unsupported: { script: 'x', release: { tag_name: 'v1', description: 'x' } },
  first: {
    stage: 'build',
    script: 'x',
    artifacts: { paths: ['out'], reports: { junit: 'j.xml', dotenv: 'd' } },
  },
  second: { stage: 'test', script: 'x', variables: { SEEN: '$HANDED' } },
  idle: { script: 'x' },
  codes: { script: 'x', allow_failure: { exit_codes: [3] } },
  again: { script: 'x', retry: { max: 1, when: ['runner_system_failure'] } },
  silent: { script: 'x', retry: { max: 1, when: 'stuck_or_timeout_failure' } },
  waiting: { script: 'x' },
  hurried: { script: 'x', timeout: '2h' },
}

const all = Object.entries(jobs).map(([name, job]) => {
  const group = name === 'second' ? 'first' : name
  return [name, { tags: [group], rules: [{ if: `$T == "${group}"` }], ...job }]
})
let p: Awaited<ReturnType<typeof projectWithCi>>
beforeAll(async () => {
  p = await projectWithCi(JSON.stringify(Object.fromEntries(all)), { files: { lock: 'one' } })
  await p.maintainer.post(`${p.base}/variables`, { key: 'HUSH', value: 'verysecretvalue', masked: true })
})

/** A pipeline with the jobs of one test, and a runner for them. */
async function begin(name: string, features: readonly string[] = ALL_FEATURES) {
  const { id: pipeline } = await p.create({ variables: [{ key: 'T', value: name }] })
  return { pipeline, runner: await runner({ project: p.id, tags: [name], untagged: false, features }) }
}
const shownLog = async (id: number) => (await p.developer.get(`${p.base}/jobs/${id}/trace`)).text
const shownJob = async (id: number) => (await p.developer.get(`${p.base}/jobs/${id}`)).body

test('the JSON of a job is whole, and its values are written out', async () => {
  const { pipeline, runner: one } = await begin('whole')
  const { json, variables, id, token } = await one.take()
  const url = `http://gitlab-ci-token:${token}@${new URL(w.url).host}/${p.fullPath}.git`
  const { sha } = (await p.developer.get(`${p.base}/pipelines/${pipeline}`)).body
  expect(json).toMatchObject({
    id,
    token,
    allow_git_fetch: true,
    job_info: { id, name: 'whole', stage: 'test', project_id: p.id, pipeline_id: pipeline },
    git_info: {
      repo_url: url,
      ref: 'main',
      sha,
      ref_type: 'branch',
      depth: 20,
      refspecs: [`+${sha}:refs/pipelines/${pipeline}`, '+refs/heads/main:refs/remotes/origin/main'],
    },
    runner_info: { timeout: 7200 },
    steps: [
      {
        name: 'script',
        script: ['prepare', 'make', 'make check'],
        timeout: 7200,
        when: 'on_success',
        allow_failure: false,
      },
      { name: 'after_script', script: ['clean'], timeout: 7200, when: 'always', allow_failure: true },
    ],
    hooks: [{ name: 'pre_get_sources_script', script: ['hook'] }],
    image: {
      name: 'alpine:3.20',
      entrypoint: ['sh'],
      pull_policy: ['always'],
      executor_opts: { docker: { user: 'me' } },
    },
    services: [
      { name: 'redis' },
      { name: 'postgres:3.20', alias: 'db', variables: [{ key: 'A', value: '1' }] },
    ],
    cache: [
      {
        key: 'k-main-non_protected',
        paths: ['node_modules/'],
        policy: 'pull-push',
        when: 'on_success',
        fallback_keys: [],
      },
      { key: expect.stringMatching(/^[0-9a-f]{40}-non_protected$/) },
    ],
    artifacts: [
      {
        name: 'whole',
        untracked: false,
        paths: ['out/main'],
        when: 'on_success',
        artifact_type: 'archive',
        artifact_format: 'zip',
        expire_in: '1 week',
      },
      { paths: ['a.xml'], when: 'always', artifact_type: 'junit', artifact_format: 'gzip' },
      { paths: ['b.json'], when: 'always', artifact_type: 'codequality', artifact_format: 'raw' },
    ],
    credentials: [],
    dependencies: [],
    features: { trace_sections: true, failure_reasons: expect.arrayContaining(['script_failure']) },
  })
  expect(variables).toMatchObject({
    CI_JOB_ID: String(id),
    CI_JOB_TOKEN: token,
    CI_REPOSITORY_URL: url,
    CI_REGISTRY: new URL(w.url).host,
    CI_REGISTRY_IMAGE: `${new URL(w.url).host}/${p.fullPath}`,
    CI_REGISTRY_USER: 'gitlab-ci-token',
    CI_REGISTRY_PASSWORD: token,
    CI_PIPELINE_ID: String(pipeline),
    CI_COMMIT_SHA: sha,
    CI_RUNNER_TAGS: '["whole"]',
    OWN: `in $CI_PROJECT_DIR of ${p.fullPath}`,
    PRICE: '5$',
    CIRCLE: '$CIRCLE',
    HUSH: 'verysecretvalue',
  })
  const of = (wanted: string) => json['variables'].find(({ key }: { key: string }) => key === wanted)
  expect(of('OWN')).toEqual({
    key: 'OWN',
    value: expect.anything(),
    public: true,
    masked: false,
    file: false,
    raw: false,
  })
  expect(of('RELEASE')).toMatchObject({ raw: true })
  expect(of('HUSH')).toMatchObject({ public: false, masked: true })
  expect(await shownJob(id)).toMatchObject({ status: 'running' })
})

test('a job of which there is little to say has every key that clients read', async () => {
  const { runner: one } = await begin('idle', FEW)
  const { json } = await one.take()
  expect(json).toMatchObject({
    id: expect.any(Number),
    token: expect.any(String),
    allow_git_fetch: true,
    artifacts: null,
    dependencies: [],
  })
  for (const variable of json['variables'])
    expect(variable).toEqual({
      key: expect.any(String),
      value: expect.any(String),
      public: expect.any(Boolean),
      masked: expect.any(Boolean),
      file: expect.any(Boolean),
      raw: expect.any(Boolean),
    })
  expect(json['steps']).toEqual([
    { name: 'script', script: ['x'], timeout: 3600, when: 'on_success', allow_failure: false },
  ])
  for (const key of [
    'git_info',
    'runner_info',
    'image',
    'services',
    'cache',
    'credentials',
    'hooks',
    'features',
  ])
    expect(json).toHaveProperty(key)
})

test('raw artifacts are not asked of a runner that does not know them', async () => {
  const { runner: one } = await begin('whole', FEW)
  const { json } = await one.take()
  expect(json['artifacts'].map((each: { artifact_format: string }) => each.artifact_format)).toEqual([
    'zip',
    'gzip',
    'gzip',
  ])
})

test('a log comes in parts, each at its place', async () => {
  const { runner: one } = await begin('log')
  const job = await one.take()
  const send = async (range: string | undefined, text: string) => {
    const { status, headers } = await patchTrace(w.url, job.id, job.token, range, text)
    return [status, headers.get('range'), headers.get('job-status')]
  }
  expect(await send('0-3', 'one\n')).toEqual([202, '0-4', 'running'])
  expect(await send('4-7', 'two\n')).toEqual([202, '0-8', 'running'])
  // Twice, out of order, and by a runner that does not count the end in.
  expect(await send('4-7', 'two\n')).toEqual([416, '0-8', 'running'])
  expect(await send('12-15', 'four')).toEqual([416, '0-8', 'running'])
  expect(await send('8-14', 'three\n')).toEqual([202, '0-14', 'running'])
  expect(await send(undefined, 'x')).toEqual([400, null, null])
  expect(await send('bytes', 'x')).toEqual([400, null, null])
  const { headers } = await job.update('running')
  expect(Number(headers.get('x-gitlab-trace-update-interval'))).toBeGreaterThanOrEqual(1)
  expect(await shownLog(job.id)).toBe('one\ntwo\nthree\n')
})

test('secrets are covered before the log is stored, also one that two parts share', async () => {
  const { runner: one } = await begin('masked')
  const job = await one.take()
  await job.trace(`a verysecretvalue and ${job.token}\n`)
  await job.trace('then very')
  const [stored] = await w.db
    .selectFrom('ci_running_jobs')
    .select(['masked', 'held_back'])
    .where('job_id', '=', job.id)
    .execute()
  expect(await shownLog(job.id)).toBe(`a xxxxxxxxxxxxxxx and ${'x'.repeat(job.token.length)}\nthen `)
  for (const sealed of [stored?.masked, stored?.held_back])
    expect(sealed?.toString('latin1')).not.toMatch(/very/)
  // A word in between does not tear it apart.
  expect((await job.update('running')).status).toBe(200)
  const { headers } = await job.trace('secretvalue\n')
  const size = `a verysecretvalue and ${job.token}\nthen verysecretvalue\n`.length
  expect(headers.get('range')).toBe(`0-${size}`)
  await job.trace('and the end: ver')
  expect((await job.update('success')).status).toBe(200)
  expect(await shownLog(job.id)).toBe(
    `a xxxxxxxxxxxxxxx and ${'x'.repeat(job.token.length)}\nthen xxxxxxxxxxxxxxx\nand the end: ver`,
  )
})

test('a runner hears of a cancel with what it says next', async () => {
  const { runner: one } = await begin('canceled')
  const job = await one.take()
  await p.developer.post(`${p.base}/jobs/${job.id}/cancel`)
  for (const answer of [
    await job.trace('x'),
    await job.update('running'),
    await job.update('success'),
    await job.upload('x'),
  ])
    expect([answer.status, answer.headers.get('job-status')]).toEqual([403, 'canceled'])
  expect(
    await w.db.selectFrom('ci_running_jobs').select('job_id').where('job_id', '=', job.id).execute(),
  ).toEqual([])
  expect(await shownJob(job.id)).toMatchObject({ status: 'canceled' })
})

test('a job ends once: 200, and 202 only while a checked log is not there', async () => {
  const { runner: one } = await begin('ends')
  const job = await one.take()
  await job.trace('12345')
  const checked = { checksum: 'crc32:0', output: { checksum: 'crc32:0', bytesize: 9 } }
  expect((await job.update('success', checked)).status).toBe(202)
  expect(await shownJob(job.id)).toMatchObject({ status: 'running' })
  await job.trace('6789')
  expect((await job.update('nonsense')).status).toBe(400)
  const done = await job.update('success', checked)
  expect([done.status, done.headers.get('job-status'), done.text]).toEqual([200, 'success', '200'])
  const second = await job.update('failed')
  expect([second.status, second.headers.get('job-status')]).toEqual([403, 'success'])
  expect(await shownJob(job.id)).toMatchObject({ status: 'success' })
})

test('what a runner cannot do is given to another one, and fails where there is none', async () => {
  const of = { project: p.id, tags: ['release'], untagged: false }
  const [able, few] = [await runner(of), await runner({ ...of, features: FEW })]
  // It says what it can do when it asks.
  expect((await able.ask()).status).toBe(204)
  await begin('release')
  expect((await few.ask()).status).toBe(204)
  const { json } = await able.take()
  expect(json['steps'].map(({ name }: { name: string }) => name)).toEqual(['script', 'release'])
  expect(json['steps'][1].script).toEqual([
    expect.stringContaining('release-cli create --description "The \\"first\\"" --tag-name "v1"'),
  ])

  const { pipeline, runner: only } = await begin('unsupported', FEW)
  expect((await only.ask()).status).toBe(204)
  expect(await p.job(pipeline, 'unsupported')).toMatchObject({
    status: 'failed',
    failure_reason: 'runner_unsupported',
  })
})

/** Sends a form in chunks, without a length: the file first and without a type, then what it is. */
function streamForm(
  job: { readonly id: number; readonly token: string },
  file: Buffer,
  fields: Record<string, string>,
) {
  return new Promise<number>((resolve, reject) => {
    const asked = request(
      `${w.url}/api/v4/jobs/${job.id}/artifacts`,
      {
        method: 'POST',
        headers: { 'job-token': job.token, 'content-type': 'multipart/form-data; boundary=b' },
      },
      (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
    )
    asked.on('error', reject)
    asked.write(
      '--b\r\ncontent-disposition: form-data; name="file"; filename="../../a/artifacts.zip"\r\n\r\n',
    )
    asked.write(file)
    for (const [name, value] of Object.entries(fields))
      asked.write(`\r\n--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}`)
    asked.end('\r\n--b--\r\n')
  })
}

test('artifacts go up as a stream, and down to the jobs that depend on them', async () => {
  const { runner: one } = await begin('first')
  const first = await one.take()
  const zip = Buffer.from(await zipOf({ 'out/x': 'made' }))
  const about = { artifact_format: 'zip', artifact_type: 'archive', expire_in: '1 week' }
  expect(await streamForm(first, zip, about)).toBe(201)
  expect(
    (await first.upload('<x/>', {}, '?artifact_type=junit&artifact_format=gzip&expire_in=')).status,
  ).toBe(201)
  expect(
    (await first.upload('HANDED=over\nno line\n', { artifact_type: 'dotenv', artifact_format: 'raw' }))
      .status,
  ).toBe(201)
  expect((await first.download(first.id)).status).toBe(200)
  await first.update('success')
  expect(await shownJob(first.id)).toMatchObject({
    artifacts_file: { filename: 'artifacts.zip', size: zip.length },
    artifacts: expect.arrayContaining([
      expect.objectContaining({ file_type: 'junit', file_format: 'gzip' }),
      expect.objectContaining({ file_type: 'dotenv', file_format: 'raw' }),
    ]),
  })

  const second = await one.take()
  expect(second.json['dependencies']).toEqual([
    {
      id: first.id,
      name: 'first',
      token: second.token,
      artifacts_file: { filename: 'artifacts.zip', size: zip.length },
    },
  ])
  expect(second.variables).toMatchObject({ SEEN: 'over', HANDED: 'over' })
  const whole = await second.download(first.id)
  expect([whole.status, whole.headers.get('content-type'), whole.headers.get('content-length')]).toEqual([
    200,
    'application/zip',
    String(zip.length),
  ])
  const part = await second.download(first.id, { headers: { range: 'bytes=0-1' } })
  expect([part.status, part.text]).toEqual([206, 'PK'])
  expect((await second.download(second.id)).status).toBe(404)
  await second.update('success')
  expect((await second.download(first.id)).status).toBe(403)
})

test('a request waits for a job only where it says what it knows', async () => {
  const { runner: one } = await begin('idle')
  const job = await one.take()
  const empty = await one.ask()
  const last = empty.headers.get('x-gitlab-last-update')
  expect([empty.status, empty.text, last]).toEqual([204, '', expect.stringMatching(/./)])
  const waiting = one.ask({ last_update: last })
  const { id: pipeline } = await p.create({ variables: [{ key: 'T', value: 'idle' }] })
  const { status, body } = await waiting
  expect([status, body.job_info.pipeline_id]).toEqual([201, pipeline])
  // A client that leaves takes nothing with it.
  expect(body.id).not.toBe(job.id)
})

test.each([
  ['has another token', 'post', 'reset_authentication_token', {}, 403],
  ['wants other jobs', 'put', '', { tag_list: ['other'], run_untagged: false }, 204],
  ['is paused', 'put', '', { paused: true }, 204],
] as const)('a request that waits gets no job once its runner %s', async (_, verb, path, change, status) => {
  const one = await runner({ project: p.id, tags: ['waiting'], untagged: false })
  const last = (await one.ask()).headers.get('x-gitlab-last-update')
  const waiting = one.ask({ last_update: last })
  // Whether it is held by then or not, it gets nothing.
  await pause(200)
  expect((await w.root[verb](`/runners/${one.id}/${path}`.replace(/\/$/, ''), change)).status).toBeLessThan(
    300,
  )
  const { id: pipeline } = await p.create({ variables: [{ key: 'T', value: 'waiting' }] })
  expect((await waiting).status).not.toBe(201)
  expect((await one.ask()).status).toBe(status)
  await p.maintainer.post(`${p.base}/pipelines/${pipeline}/cancel`)
})

test('a runner may take less time for a job than the job has', async () => {
  await p.create({ variables: [{ key: 'T', value: 'hurried' }] })
  const one = await runner({ project: p.id, tags: ['hurried'], untagged: false, maximumTimeout: 600 })
  const { json, variables } = await one.take()
  expect([json['runner_info'].timeout, json['steps'][0].timeout, variables['CI_JOB_TIMEOUT']]).toEqual([
    600,
    600,
    '600',
  ])
})

test('the job of a runner that says nothing for an hour runs again where it may', async () => {
  const { pipeline, runner: one } = await begin('silent')
  const lost = await one.take()
  const now = w.clock.now().getTime()
  const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
  await w.db
    .updateTable('ci_jobs')
    .set({ started_at: ago(90), timeout: 86_400 })
    .where('id', '=', lost.id)
    .execute()
  await w.db
    .updateTable('ci_running_jobs')
    .set({ contacted_at: ago(61), timeout: 86_400 })
    .where('job_id', '=', lost.id)
    .execute()
  const { signal } = new AbortController()
  await failStuckJobs.execute({}, jobContext(w.running.services, { attempt: 1, signal }))
  expect(await p.statusOf(pipeline)).toBe('pending')
  const again = await one.take()
  expect((await lost.update('success')).status).toBe(403)
  expect((await again.update('success')).status).toBe(200)
  expect(await p.statusOf(pipeline)).toBe('success')
})

test('a failure counts as the job says it: exit codes, and what runs again', async () => {
  const { pipeline, runner: one } = await begin('codes')
  const job = await one.take()
  await job.update('failed', { failure_reason: 'script_failure', exit_code: 3 })
  expect(await shownJob(job.id)).toMatchObject({
    status: 'failed',
    failure_reason: 'script_failure',
    allow_failure: true,
  })
  expect(await p.statusOf(pipeline)).toBe('success')

  const { pipeline: other, runner: two } = await begin('again')
  const tries = [await two.take()]
  await tries[0]?.update('failed', { failure_reason: 'runner_system_failure' })
  expect(await p.statusOf(other)).toBe('pending')
  const last = await two.take()
  await last.update('failed', { failure_reason: 'runner_system_failure' })
  expect(await p.statusOf(other)).toBe('failed')
  expect(await shownJob(tries[0]?.id ?? 0)).toMatchObject({
    status: 'failed',
    failure_reason: 'runner_system_failure',
  })
})
