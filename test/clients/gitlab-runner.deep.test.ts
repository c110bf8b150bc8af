import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { failStuckJobs } from '#ci/jobs/fail-stuck-jobs.ts'
import { projectWithCi } from '#ci/test-support.ts'
import { withGit } from '#code/git-http/test-support.ts'
import { jobContext } from '#platform/jobs/context.ts'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'

// The crate `gitlab-runner`, on which others build runners.

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'forgelet-crate-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const program = await build()

withGit()

/** The runner. Cargo fetches what it needs the first time. */
async function build(): Promise<string | undefined> {
  const places = [...(process.env['PATH'] ?? '').split(delimiter), join(homedir(), '.cargo/bin')]
  const cargo = places.map((place) => join(place, 'cargo')).find((path) => existsSync(path))
  if (cargo === undefined) {
    console.log('skipped: Rust is not installed')
    return undefined
  }
  const cwd = join(import.meta.dirname, 'gitlab-runner')
  try {
    await run(cargo, ['fetch', '--locked'], { cwd, timeout: 240_000 })
  } catch {
    console.log('skipped: Cargo could not fetch the crate')
    return undefined
  }
  const env = { ...process.env, CARGO_TARGET_DIR: join(folder, 'target') }
  await run(cargo, ['build', '--locked', '--quiet'], { cwd, env, timeout: 900_000 })
  return join(folder, 'target/debug/script-runner')
}

/** A project with a runner of its own that waits for jobs. */
async function withRunner(config: string, url = w.url) {
  const p = await projectWithCi(config)
  const { body } = await p.maintainer.post('/user/runners', { runner_type: 'project_type', project_id: p.id })
  const place = await mkdtemp(join(folder, 'runner-'))
  const child = spawn(program ?? '', [url, body.token, place], { stdio: 'ignore' })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const log = async (pipeline: number, name: string): Promise<string> => {
    const { id } = await p.job(pipeline, name)
    return (await p.reporter.get(`${p.base}/jobs/${id}/trace`)).text
  }
  const end = async (pipeline: number, name: string): Promise<string> => {
    await until(async () =>
      expect((await p.job(pipeline, name)).status).toMatch(/^(?:success|failed|canceled)$/),
    )
    return (await p.job(pipeline, name)).status
  }
  return { ...p, log, end }
}

/** A way to the server that is cut now and then: what is sent meanwhile gets no answer. */
async function cuttableWay() {
  const lost: string[] = []
  const way = { url: '', isCut: false, lost }
  const server = createServer((req, response) => {
    if (way.isCut) {
      let body = ''
      req.on('data', (piece) => (body += String(piece)))
      req.on('end', () => {
        lost.push(`${req.method} ${body}`)
        response.writeHead(503).end()
      })
      return
    }
    const { method, headers, url = '/' } = req
    const sent = request(new URL(url, w.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    req.pipe(sent)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  way.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return way
}

describe.skipIf(program === undefined)('a runner on the crate gitlab-runner', () => {
  test('clones, runs scripts, and passes artifacts from job to job', async () => {
    const p = await withRunner(`
build:
  stage: build
  script: ['echo built > word.txt', 'echo working']
  artifacts: { paths: [word.txt], reports: { junit: word.txt } }
test: { stage: test, script: ['echo "found $(cat word.txt)"', 'test "$(git rev-parse HEAD)" = "$CI_COMMIT_SHA"'] }
broken: { stage: test, script: ['exit 2'], allow_failure: true }
`)
    const { id } = await p.create()
    expect(await p.end(id, 'build')).toBe('success')
    expect(await p.log(id, 'build')).toContain('working')
    expect(await p.end(id, 'test')).toBe('success')
    expect(await p.log(id, 'test')).toContain('found built')
    expect(await p.end(id, 'broken')).toBe('failed')
  })

  test('hears that a job is canceled', async () => {
    const p = await withRunner(`long: { script: ['for i in $(seq 600); do echo $i; sleep 1; done'] }`)
    const { id } = await p.create()
    await until(async () => expect((await p.job(id, 'long')).status).toBe('running'))
    expect((await p.developer.post(`${p.base}/pipelines/${id}/cancel`)).status).toBe(200)
    expect(await p.end(id, 'long')).toBe('canceled')
    // It takes the next one.
    const again = await p.create()
    await until(async () => expect((await p.job(again.id, 'long')).status).toBe('running'))
    await p.developer.post(`${p.base}/pipelines/${again.id}/cancel`)
  })

  test('repeats nothing, so a job whose end was lost ends when its time is over', async () => {
    const way = await cuttableWay()
    const place = await mkdtemp(join(folder, 'place-'))
    const p = await withRunner(
      `one: { script: ['while [ ! -e "$PLACE/go" ]; do sleep 0.1; done'], timeout: 10 minutes }`,
      way.url,
    )
    const variables = [{ key: 'PLACE', value: place }]
    const { id } = await p.create({ variables })
    await until(async () => expect((await p.job(id, 'one')).status).toBe('running'))
    way.isCut = true
    await writeFile(join(place, 'go'), '')
    await until(() => expect(way.lost.join('\n')).toMatch(/PUT .*"success"/))
    way.isCut = false
    // It goes on with other jobs, and says nothing of this one.
    const next = await p.create({ variables })
    expect(await p.end(next.id, 'one')).toBe('success')
    const { id: job, status } = await p.job(id, 'one')
    expect(status).toBe('running')
    const started_at = new Date(w.clock.now().getTime() - 11 * 60_000).toISOString()
    await w.db.updateTable('ci_jobs').set({ started_at }).where('id', '=', job).execute()
    const { signal } = new AbortController()
    await failStuckJobs.execute({}, jobContext(w.running.services, { attempt: 1, signal }))
    expect(await p.job(id, 'one')).toMatchObject({
      status: 'failed',
      failure_reason: 'job_execution_timeout',
    })
  })

  test('gets no job that it could not read', async () => {
    const p = await withRunner(`
release: { script: [echo x], release: { tag_name: v1, description: x } }
plain: { script: [echo plain] }
`)
    const { id } = await p.create()
    expect(await p.end(id, 'plain')).toBe('success')
    expect((await p.job(id, 'release')).status).toMatch(/^(?:pending|failed)$/)
  })
})
