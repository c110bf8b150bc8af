import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failStuckJobs } from '#ci/jobs/fail-stuck-jobs.ts'
import { projectWithCi } from '#ci/test-support.ts'
import { jobContext } from '#platform/jobs/context.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { folder, forgelet, type Program } from './forgelet.ts'

type Project = Awaited<ReturnType<typeof projectWithCi>>

/** In containers, tests are root. */
const AS_ROOT = '--as-root'
const SECONDS = { timeout: 180_000 }

/** A runner for one project, which runs. */
async function runnerFor(p: Project, ...options: string[]) {
  const made = await p.owner.post('/user/runners', { runner_type: 'project_type', project_id: p.id })
  expect(made.status).toBe(201)
  const at = folder()
  await registered(at, made.body.token)
  return { at, id: made.body.id, runner: forgelet(['runner', AS_ROOT, '--folder', at, ...options]) }
}

async function registered(at: string, token: string): Promise<Program> {
  const program = forgelet(['runner', 'register', AS_ROOT, '--folder', at, '--url', w.url, '--token', token])
  expect([await program.ended, program.out()]).toEqual([0, ''])
  return program
}

const trace = async (p: Project, pipeline: number, name: string) => {
  const { id } = await p.job(pipeline, name)
  return (await p.developer.get(`${p.base}/jobs/${id}/trace`)).text
}
const untilEnd = (p: Project, pipeline: number, status: string) =>
  until(async () => expect(await p.statusOf(pipeline)).toBe(status))

/** Lines of bash that wait for a file. */
const waitFor = (file: string) => `while [ ! -e ${file} ]; do sleep 0.05; done`
const isAlive = (pid: number) => existsSync(`/proc/${pid}`)

describe('from registration to a green pipeline', SECONDS, () => {
  test('two commands, with all that a job may do', async () => {
    const p = await projectWithCi(
      `
stages: [build, test]
variables: { GREETING: hello }
default: { cache: { key: $CI_COMMIT_REF_SLUG, paths: [kept] } }
build:
  stage: build
  image: node:24
  services: [postgres]
  before_script: ['export FROM_BEFORE=before']
  script:
    - echo "$GREETING $FROM_BEFORE in $CI_PROJECT_DIR"
    - cat "$CONFIG"
    - cat source.txt
    - mkdir -p out kept && echo made > out/made.txt && echo cached > kept/file && ln -s made.txt out/link
    - 'echo "<testsuites><testsuite><testcase name=\\"one\\"/></testsuite></testsuites>" > junit.xml'
  after_script: ['echo "after: $CI_JOB_STATUS"']
  artifacts: { name: result, paths: [out], exclude: [out/**/*.tmp], reports: { junit: junit.xml } }
test:
  stage: test
  script: ['cat out/link', 'cat kept/file', 'test -z "$FROM_BEFORE"']
`,
      { files: { 'source.txt': 'from git\n' } },
    )
    await p.maintainer.post(`${p.base}/variables`, {
      key: 'CONFIG',
      value: 'in a file',
      variable_type: 'file',
    })
    const at = folder()
    await registered(at, ROOT_TOKEN)
    expect(statSync(join(at, 'config.json')).mode & 0o777).toBe(0o600)
    const runner = forgelet(['runner', AS_ROOT, '--folder', at])
    const { id } = await p.create()
    await untilEnd(p, id, 'success')
    const log = await trace(p, id, 'build')
    for (const said of ['hello before in ', 'in a file', 'from git', 'after: success', 'Job succeeded'])
      expect(log).toContain(said)
    expect(log).toContain('Ignored, because this runner has no containers: image node:24, service postgres\n')
    expect(log).toContain('Sending 2 files (archive)\nSent 2 files (archive)\n')
    expect(log).toContain('Sent 1 file (junit)\n')
    expect(await trace(p, id, 'test')).toMatch(/made\n[^]*cached\n/)
    const { body: report } = await p.developer.get(`${p.base}/pipelines/${id}/test_report`)
    expect(report.total_count).toBe(1)
    const { id: build } = await p.job(id, 'build')
    const file = await p.developer.get(`${p.base}/jobs/${build}/artifacts/out/made.txt`)
    expect([file.status, file.text]).toEqual([200, 'made\n'])
    runner.process.kill('SIGTERM')
    expect(await runner.ended).toBe(0)
    expect(runner.err()).toMatch(/ job \d+ \(build of \S+\/\S+\) succeeded \(\d+\.\d s\)\n/)
    expect(readdirSync(join(at, 'work'))).toEqual([])
  })
})

describe('how jobs end', SECONDS, () => {
  test('a script that fails tells its exit code; after_script runs, and artifacts for failures come', async () => {
    const p = await projectWithCi(`
bad:
  script: ['echo why > reason.txt', '(exit 3)', 'echo never']
  after_script: ['echo "after: $CI_JOB_STATUS"']
  artifacts: { when: on_failure, paths: [reason.txt] }
allowed: { script: [exit 7], allow_failure: { exit_codes: 7 } }
midline: { script: ['printf unfinished'], release: { tag_name: v1, ref: none, description: x } }
`)
    const { runner } = await runnerFor(p, '--concurrent', '2')
    const { id } = await p.create()
    await untilEnd(p, id, 'failed')
    expect((await p.job(id, 'bad')).failure_reason).toBe('script_failure')
    const log = await trace(p, id, 'bad')
    expect(log).toContain('after: failed')
    expect(log).not.toContain('\nnever')
    const { id: bad } = await p.job(id, 'bad')
    expect((await p.developer.get(`${p.base}/jobs/${bad}/artifacts/reason.txt`)).text).toBe('why\n')
    const { body } = await p.developer.get(`${p.base}/jobs/${(await p.job(id, 'allowed')).id}`)
    expect([body.status, body.allow_failure]).toEqual(['failed', true])
    const released = await trace(p, id, 'midline')
    expect(released).toContain('unfinished\nMaking the release\n')
    expect(released).toMatch(/\nJob failed: The release is not made: .*Target none is invalid/)
    // It says so after the server has answered.
    await until(() => expect(runner.err()).toMatch(/\(bad of \S+\) failed: exit code 3 \(/))
  })

  test('a job makes the release that it describes, and the tag of its commit', async () => {
    const p = await projectWithCi(
      `
stamp:
  script: ['echo "# New" > notes.md']
  release:
    name: Release $CI_COMMIT_SHORT_SHA
    tag_name: v$CI_PIPELINE_IID
    description: notes.md
    milestones: ['1.0']
    assets: { links: [{ name: 'tool $CI_PIPELINE_IID', url: 'https://example.org/tool', link_type: package }] }
`,
    )
    await p.maintainer.post(`${p.base}/milestones`, { title: '1.0' })
    await runnerFor(p)
    const { id, iid } = await p.create()
    await untilEnd(p, id, 'success')
    const sha = (await p.developer.get(`${p.base}/repository/commits/main`)).body.id
    expect(await trace(p, id, 'stamp')).toContain('Making the release\nThe release is made\n')
    const { body } = await p.developer.get(`${p.base}/releases/v${iid}`)
    expect(body).toMatchObject({
      name: `Release ${sha.slice(0, 8)}`,
      description: '# New\n',
      commit: { id: sha },
      author: { id: p.developer.id },
      milestones: [{ title: '1.0' }],
      assets: { links: [{ name: `tool ${iid}`, link_type: 'package' }] },
    })
    // Once is enough: the tag has a release now.
    await p.developer.post(`${p.base}/jobs/${(await p.job(id, 'stamp')).id}/retry`)
    await untilEnd(p, id, 'failed')
    expect(await trace(p, id, 'stamp')).toContain('Release already exists')
  })

  test('the log is there while a job runs, and cancel ends it with all its processes within seconds', async () => {
    const p = await projectWithCi(
      `long: { script: ['setsid sleep 600 & echo "pid $!"', 'echo begun', 'sleep 600'] }`,
    )
    await runnerFor(p)
    const { id } = await p.create()
    await until(async () => expect(await trace(p, id, 'long')).toContain('\nbegun'))
    const pid = Number(/^pid (\d+)/m.exec(await trace(p, id, 'long'))?.[1])
    expect(isAlive(pid)).toBe(true)
    const { id: job } = await p.job(id, 'long')
    expect((await p.developer.post(`${p.base}/jobs/${job}/cancel`)).status).toBe(201)
    await until(async () => expect(isAlive(pid)).toBe(false))
    await p.untilJob(id, 'long', 'canceled')
  })

  test('a job that takes too long ends', async () => {
    const p = await projectWithCi('long: { script: sleep 600, timeout: 2 seconds }')
    await runnerFor(p)
    const { id } = await p.create()
    await untilEnd(p, id, 'failed')
    expect((await p.job(id, 'long')).failure_reason).toMatch(/job_execution_timeout|stuck_or_timeout_failure/)
  })
})

describe('a runner that stops', SECONDS, () => {
  test('finishes its job first; told twice, it fails it at once', async () => {
    const at = folder()
    const go = join(at, 'go')
    const p = await projectWithCi(
      `one: { script: ['echo begun', '${waitFor(go)}'] }\ntwo: { script: x, when: manual }`,
    )
    const first = await runnerFor(p)
    const one = await p.create()
    await until(async () => expect(await trace(p, one.id, 'one')).toContain('\nbegun'))
    first.runner.process.kill('SIGTERM')
    await until(async () => expect(first.runner.err()).toContain('stops when its jobs have ended'))
    writeFileSync(go, '')
    expect(await first.runner.ended).toBe(0)
    await p.untilJob(one.id, 'one', 'success')

    const q = await projectWithCi(`one: { script: ['echo begun', 'sleep 600'] }`)
    const second = await runnerFor(q)
    const other = await q.create()
    await until(async () => expect(await trace(q, other.id, 'one')).toContain('\nbegun'))
    second.runner.process.kill('SIGTERM')
    await until(async () => expect(second.runner.err()).toContain('stops when its jobs have ended'))
    second.runner.process.kill('SIGTERM')
    expect(await second.runner.ended).toBe(0)
    expect((await q.job(other.id, 'one')).failure_reason).toBe('runner_system_failure')
  })

  test('that is killed leaves its job to the server, and its processes to the one that starts next', async () => {
    const p = await projectWithCi(
      `long: { script: ['setsid sleep 600 & echo "pid $!"', 'echo begun', 'sleep 600'] }\nshort: { script: echo x, when: manual }`,
    )
    const { at, runner } = await runnerFor(p)
    const { id } = await p.create()
    await until(async () => expect(await trace(p, id, 'long')).toContain('\nbegun'))
    const pid = Number(/^pid (\d+)/m.exec(await trace(p, id, 'long'))?.[1])
    runner.process.kill('SIGKILL')
    await runner.ended
    expect([isAlive(pid), (await p.job(id, 'long')).status]).toEqual([true, 'running'])
    forgelet(['runner', AS_ROOT, '--folder', at])
    await until(() => expect(isAlive(pid)).toBe(false))
    const { id: short } = await p.job(id, 'short')
    expect((await p.developer.post(`${p.base}/jobs/${short}/play`)).status).toBe(200)
    await p.untilJob(id, 'short', 'success')

    // Nobody says anything of the other one any more.
    const silent = new Date(w.clock.now().getTime() - 61 * 60_000).toISOString()
    const { id: long } = await p.job(id, 'long')
    await w.db
      .updateTable('ci_running_jobs')
      .set({ contacted_at: silent })
      .where('job_id', '=', long)
      .execute()
    const { signal } = new AbortController()
    await failStuckJobs.execute({}, jobContext(w.running.services, { attempt: 1, signal }))
    expect(await p.job(id, 'long')).toMatchObject({
      status: 'failed',
      failure_reason: expect.stringMatching(/^(?:runner_system_failure|stuck_or_timeout_failure)$/),
    })
  })

  test('ends when its server does not know it any more', async () => {
    const p = await projectWithCi('one: { script: x }')
    const { runner, id } = await runnerFor(p)
    await until(async () => expect(runner.err()).toContain('takes jobs of'))
    expect((await p.owner.delete(`/runners/${id}`)).status).toBe(204)
    expect(await runner.ended).toBe(1)
    expect(runner.err()).toContain('does not know this runner')
  })

  test('two do not work in one folder', async () => {
    const p = await projectWithCi('one: { script: x }')
    const { at, runner } = await runnerFor(p)
    await until(async () => expect(runner.err()).toContain('takes jobs of'))
    const other = forgelet(['runner', AS_ROOT, '--folder', at])
    expect(await other.ended).toBe(1)
    expect(other.err()).toContain('another process works in')
  })
})

test.runIf(process.getuid?.() === 0)('a runner does not work as root unless it is told to', async () => {
  const program = forgelet(['runner', '--folder', folder()])
  expect([await program.ended, program.err()]).toEqual([1, expect.stringContaining('does not work as root')])
  expect(program.err()).toMatch(
    /^ {2}setpriv --reuid=forgelet-runner .* \S+ \S+\/scripts\/start\.js runner register --token TOKEN$/m,
  )
})

test('a runner does not start without the programs that jobs need', async () => {
  const program = forgelet(['runner', AS_ROOT, '--folder', folder()], { PATH: '/nowhere' })
  expect([await program.ended, program.err()]).toEqual([
    1,
    expect.stringContaining('install the package bash'),
  ])
})

test('a token that is none is refused, and nothing is written', async () => {
  const at = folder()
  const program = forgelet([
    'runner',
    'register',
    AS_ROOT,
    '--folder',
    at,
    '--url',
    w.url,
    '--token',
    'glrt-none',
  ])
  expect(await program.ended).toBe(1)
  expect(program.err()).toContain('the server refuses: 403 Forbidden. --token should be ')
  expect(readdirSync(at)).toEqual([])
})
