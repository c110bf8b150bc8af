import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { Client } from '#test/client.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { newDatabase, urlOf } from '#test/new-database.ts'
import { folder, forgelet, READY } from './forgelet.ts'

const RUNNERS = 50
const PIPELINES = 10
const JOBS = 1_000
const KILLS = 3
const MINUTES = 60_000

const until = (check: () => unknown) => vi.waitFor(check, { timeout: 20 * MINUTES, interval: 200 })

/** A port that was free a moment ago: the server has the same one after each start. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

test(
  `each of ${JOBS} jobs runs once on ${RUNNERS} runners, whatever happens to the server`,
  { timeout: 60 * MINUTES },
  async () => {
    const [at, port] = [folder(), await freePort()]
    const environment = {
      FORGELET_DATABASE_URL: urlOf(await newDatabase()),
      FORGELET_DATA: folder(),
      FORGELET_SECRET_KEY: 'the master key of the tests, long enough',
      FORGELET_PORT: String(port),
    }
    const start = async () => {
      const server = forgelet([], environment)
      await server.saying(READY)
      return server
    }
    let server = await start()
    const url = `http://127.0.0.1:${port}`
    const root = new Client(url, { 'private-token': ROOT_TOKEN })
    const { body: project } = await root.post('/projects', { name: 'many', initialize_with_readme: true })
    const ran = join(at, 'ran')
    await root.post(`/projects/${project.id}/repository/files/.gitlab-ci.yml`, {
      branch: 'main',
      commit_message: 'Run [ci skip]',
      content: `job: { parallel: ${JOBS / PIPELINES}, script: ['echo $CI_JOB_ID >> ${ran}', 'sleep 0.1'] }`,
    })
    const pipelines: number[] = []
    for (let made = 0; made < PIPELINES; made += 1) {
      const { status, body } = await root.post(`/projects/${project.id}/pipeline`, { ref: 'main' })
      expect(status).toBe(201)
      pipelines.push(body.id)
    }
    const { body: runner } = await root.post('/user/runners', { runner_type: 'instance_type' })
    const runners = []
    for (let number = 0; number < RUNNERS; number += 1) {
      const home = join(at, String(number))
      const options = ['--as-root', '--folder', home]
      const registration = forgelet(['runner', 'register', ...options, '--url', url, '--token', runner.token])
      expect(await registration.ended).toBe(0)
      runners.push(forgelet(['runner', ...options]))
    }
    const lines = () => (existsSync(ran) ? readFileSync(ran, 'utf8').trim().split('\n') : [])
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await until(() => expect(lines().length).toBeGreaterThan((JOBS * kill) / (KILLS + 1)))
      server.process.kill('SIGKILL')
      await server.ended
      server = await start()
    }
    const statusOf = async (id: number) =>
      (await root.get(`/projects/${project.id}/pipelines/${id}`)).body.status
    for (const id of pipelines) await until(async () => expect(await statusOf(id)).toBe('success'))
    const all = lines()
    expect([all.length, new Set(all).size]).toEqual([JOBS, JOBS])
    for (const { process } of runners) process.kill('SIGTERM')
    for (const { ended } of runners) expect(await ended).toBe(0)
  },
)
