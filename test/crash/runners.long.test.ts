import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Client } from '#test/client.ts'
import { plainEnvironment } from '#test/environment.ts'
import { freePort } from '#test/redis.ts'
import { dataFolder, giveUpOn, killEverything, onDatabase, start, TOKEN } from './killing.ts'

const MAIN = join(import.meta.dirname, '../../scripts/start.js')
const PIPELINES = 10
const JOBS = 100
const RUNNERS = 10
const EACH = 5
/** How many jobs have ended when everything is killed. */
const KILLS = [200, 500, 800]

const CONFIG = Array.from(
  { length: JOBS },
  (_, at) => `job-${at}: { script: ['echo ran >> "$RAN/$CI_JOB_ID"', 'sleep 0.2', 'echo finished'] }\n`,
).join('')

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** Runs a command of a runner. In containers, tests are root. */
function runner(folder: string, ...args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [MAIN, 'runner', ...args, '--as-root', '--folder', folder], {
    env: plainEnvironment(),
    stdio: 'ignore',
  })
  cleanups.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  return child
}

test(
  `a thousand jobs on ${RUNNERS * EACH} runners finish exactly once each, although everything else is killed three times`,
  { timeout: 1_200_000 },
  async () => {
    const data = await dataFolder()
    const fixed = { FORGELET_PORT: String(await freePort()) }
    let server = await start(data, fixed)
    cleanups.push(() => killEverything(server.child, data))
    const { url } = server
    const api = new Client(url, { 'private-token': TOKEN })
    const place = await mkdtemp(join(tmpdir(), 'forgelet-runners-'))
    cleanups.push(() => rm(place, { recursive: true, force: true }))
    await chmod(place, 0o711)
    const ran = join(place, 'ran')
    await mkdir(ran)

    const { body: project } = await api.post('/projects', { name: 'runners' })
    const base = `/projects/${project.id}`
    await api.post(`${base}/repository/commits`, {
      branch: 'main',
      commit_message: 'Begin [skip ci]',
      actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: CONFIG }],
    })
    for (let count = 0; count < PIPELINES; count += 1) {
      const variables = [{ key: 'RAN', value: ran }]
      expect((await api.post(`${base}/pipeline`, { ref: 'main', variables })).status).toBe(201)
    }
    for (let count = 0; count < RUNNERS; count += 1) {
      const folder = join(place, `runner-${count}`)
      const registering = runner(folder, 'register', '--url', url, '--token', TOKEN)
      expect(await once(registering, 'exit')).toEqual([0, null])
      runner(folder, '--concurrent', String(EACH))
    }

    const ended = () =>
      onDatabase(data, async (pool) => {
        const { rows } = await pool.query(
          `select status::text, count(*)::int from ci_jobs where not status in ('pending', 'running') group by status`,
        )
        return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
      })
    const count = async () => Object.values(await ended()).reduce((sum: number, one) => sum + Number(one), 0)
    for (const least of KILLS) {
      while ((await count()) < least) await pause(200)
      await killEverything(server.child, data)
      const killed = new Date()
      server = await start(data, fixed)
      await giveUpOn(data, killed)
    }
    while ((await count()) < PIPELINES * JOBS) await pause(500)

    expect(await ended()).toEqual({ success: PIPELINES * JOBS })
    const names = await readdir(ran)
    expect(names).toHaveLength(PIPELINES * JOBS)
    for (const name of names) expect([name, await readFile(join(ran, name), 'utf8')]).toEqual([name, 'ran\n'])
    // Nothing is left of what runners had.
    await onDatabase(data, async (pool) => {
      expect((await pool.query('select job_id from ci_running_jobs')).rows).toEqual([])
    })
    const [first = ''] = names
    const { text } = await api.get(`${base}/jobs/${first}/trace`)
    expect(text.split('\nfinished').length).toBe(2)
  },
)
