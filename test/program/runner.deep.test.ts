import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { projectWithCi } from '#ci/test-support.ts'
import { plainEnvironment } from '#test/environment.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { folder, forgelet } from './forgelet.ts'

const MAIN = join(import.meta.dirname, '../../scripts/start.js')
const isRoot = process.getuid?.() === 0
/** Root becomes somebody else, who may read what root may. */
const somebody = isRoot ? ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'] : []
const [first = process.execPath, ...others] = [...somebody, process.execPath, MAIN]
const cannot = isRoot && spawnSync('unshare', [...somebody.slice(1), 'true']).status !== 0
if (cannot) console.log('skipped: root cannot become somebody else here')

interface Started {
  readonly process: ChildProcess
  readonly said: () => string
  readonly ended: Promise<unknown>
}

/** Runs `forgelet` as an account that is not root. */
function command(args: readonly string[]): Started {
  const child = spawn(first, [...others, ...args], {
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(child, 'close').then(([code]) => code)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { process: child, said: () => said, ended }
}

/** A project with a configuration, and a runner of its own that is registered and waits for jobs. */
async function withRunner(config: string, files: Record<string, string> = {}) {
  const p = await projectWithCi(config, { files })
  const { status, body } = await p.maintainer.post('/user/runners', {
    runner_type: 'project_type',
    project_id: p.id,
  })
  expect([status, body.message]).toEqual([201, undefined])
  const place = folder()
  const named = ['--folder', join(place, 'runner')]
  const registering = command(['runner', 'register', '--url', w.url, '--token', body.token, ...named])
  expect([await registering.ended, registering.said()]).toEqual([0, expect.stringContaining('is registered')])
  const runner = command(['runner', ...named])
  const log = async (pipeline: number, name: string): Promise<string> => {
    const { id } = await p.job(pipeline, name)
    return (await p.reporter.get(`${p.base}/jobs/${id}/trace`)).text
  }
  /** Waits until a job has ended. @returns its status */
  const end = async (pipeline: number, name: string): Promise<string> => {
    await until(async () =>
      expect((await p.job(pipeline, name)).status).toMatch(/^(?:success|failed|canceled|skipped)$/),
    )
    return (await p.job(pipeline, name)).status
  }
  return { ...p, place, runner, log, end }
}

describe.skipIf(cannot)('forgelet runner', () => {
  test('runs a pipeline: scripts, variables, artifacts from job to job, and caches from pipeline to pipeline', async () => {
    const p = await withRunner(
      `
build:
  stage: build
  variables: { WORD: hello }
  before_script: ['echo "before $CI_JOB_NAME"']
  script:
    - mkdir -p out kept
    - echo "$WORD from $(cat README.md)" | tee out/word.txt
    - date > kept/file
  after_script: ['echo "after $CI_JOB_STATUS"']
  artifacts: { paths: [out] }
  cache: { key: all, paths: [kept] }
test:
  stage: test
  script:
    - echo "found $(cat out/word.txt)"
    - test "$(git rev-parse HEAD)" = "$CI_COMMIT_SHA"
    - ls kept
  cache: { key: all, paths: [kept], policy: pull }
`,
      { 'README.md': 'the project' },
    )
    const { id } = await p.create()
    expect(await p.end(id, 'build')).toBe('success')
    expect(await p.end(id, 'test')).toBe('success')
    const built = await p.log(id, 'build')
    for (const line of ['before build', 'hello from the project', 'after success', 'Uploaded 1 files'])
      expect(built).toContain(line)
    expect(built).not.toContain('glcbt-')
    expect(await p.log(id, 'test')).toContain('found hello from the project')
    expect((await p.reporter.get(`${p.base}/pipelines/${id}`)).body.status).toBe('success')
    // Its own folder is for its account alone, and no work folder is left.
    const config = join(p.place, 'runner', 'runner.json')
    expect((await stat(config)).mode & 0o777).toBe(0o600)
    expect(await readFile(config, 'utf8')).toContain('glrt-')
    p.runner.process.kill('SIGTERM')
    expect(await p.runner.ended).toBe(0)
  })

  test('says how a script failed, and hides what is masked', async () => {
    const p = await withRunner(`
broken: { script: ['echo "the secret is $SECRET"', 'exit 3', 'echo never'], after_script: ['echo "after $CI_JOB_STATUS"'] }
`)
    const variable = { key: 'SECRET', value: 'not-for-logs-1', masked: true }
    expect((await p.maintainer.post(`${p.base}/variables`, variable)).status).toBe(201)
    const { id } = await p.create()
    expect(await p.end(id, 'broken')).toBe('failed')
    expect((await p.job(id, 'broken')).failure_reason).toBe('script_failure')
    const log = await p.log(id, 'broken')
    expect(log).toContain('the secret is [MASKED]')
    expect(log).toContain('after failed')
    expect(log).toContain('exit code 3')
    expect(log).not.toMatch(/not-for-logs-1|never$/m)
  })

  test('ends a canceled job, with all that it started, within seconds', async () => {
    const p = await withRunner(`long: { script: ['echo begun; sleep 600 & echo $! > $PIDS; wait'] }`)
    const pids = join(p.place, 'pids')
    await writeFile(pids, '', { mode: 0o666 })
    const { id } = await p.create({ variables: [{ key: 'PIDS', value: pids }] })
    await until(async () => expect(await readFile(pids, 'utf8')).toMatch(/^\d+\n$/))
    const began = performance.now()
    expect((await p.developer.post(`${p.base}/pipelines/${id}/cancel`)).status).toBe(200)
    await until(() => expect(p.runner.said()).toMatch(/\(long\): canceled/))
    expect(performance.now() - began).toBeLessThan(10_000)
    const pid = Number(await readFile(pids, 'utf8'))
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('is refused with a token that no runner has, and without a registration', async () => {
    const place = folder()
    const wrong = command(['runner', 'register', '--url', w.url, '--token', 'glrt-wrong', '--folder', place])
    expect([await wrong.ended, wrong.said()]).toEqual([1, expect.stringContaining('knows no runner')])
    const none = command(['runner', '--folder', join(place, 'none')])
    expect([await none.ended, none.said()]).toEqual([1, expect.stringContaining('forgelet runner register')])
  })
})

test.skipIf(!isRoot)('forgelet runner refuses to be root', async () => {
  const runner = forgelet(['runner'])
  expect(await runner.ended).toBe(1)
  expect(runner.err()).toContain('as an account that may do nothing else')
})
