import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { Client } from '#test/client.ts'
import { plainEnvironment } from '#test/environment.ts'
import { w } from '#test/world.ts'
import { folder } from './forgelet.ts'

const MAIN = join(import.meta.dirname, '../../scripts/start.js')

interface Ready {
  readonly url: string
  readonly pid: number
  readonly token: string
}

async function readyIn(file: string): Promise<Ready> {
  const text = () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  await expect.poll(text).toContain('"pid"')
  return JSON.parse(text()) as Ready
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** What a server gave that was just started with a seed, but for where it listened. */
const given = new Map<string, string[]>()

async function use({ url, token }: Ready): Promise<string[]> {
  const root = new Client(url, { 'private-token': token })
  const project = await root.post('/projects', { name: 'one', initialize_with_readme: true })
  const made = await root.post('/users/1/personal_access_tokens', {
    name: 'made',
    scopes: 'api',
    expires_at: '2030-06-01',
  })
  const issue = await root.post('/projects/1/issues', { title: 'x' })
  const commits = await root.get('/projects/1/repository/commits')
  const texts = [project, made, issue, commits].map(({ body }) => JSON.stringify(body))
  return [token, ...texts.map((text) => text.replaceAll(new URL(url).host, 'HOST'))]
}

// One server for all of it: a start takes longer than all else. Each test resets it.
describe('an ephemeral server', { timeout: 180_000 }, () => {
  const flags = ['--ephemeral', '--seed=8', '--exit-with-stdin', '--ready-file=/dev/fd/3']
  const environment = { ...plainEnvironment(), FORGELET_PORT: '0' }
  let server: ChildProcess
  let ready: Ready
  let root: Client

  beforeAll(async () => {
    const stdio = ['pipe', 'ignore', 'ignore', 'pipe'] as const
    server = spawn(process.execPath, [MAIN, ...flags], { env: environment, stdio: [...stdio] })
    const [line] = (await once(server.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer]
    ready = JSON.parse(line.toString()) as Ready
    root = new Client(ready.url, { 'private-token': ready.token })
    given.set('other', await use(ready))
  })
  afterAll(() => void server.kill('SIGKILL'))
  beforeEach(async () => {
    const headers = { 'private-token': ready.token }
    const { status } = await fetch(`${ready.url}/-/testing/reset`, { method: 'POST', headers })
    if (status !== 204) throw new Error(`The reset answered ${status}`)
  })

  test('tells a bot on the same machine by webhooks, and nobody else of the network', async () => {
    const { promise: heard, resolve } = Promise.withResolvers<string | undefined>()
    const bot = createServer((request, response) => {
      resolve(String(request.headers['x-gitlab-event']))
      response.end()
    }).listen(0, 'localhost')
    await once(bot, 'listening')
    onTestFinished(() => void bot.close())
    const address = bot.address()
    const url = `http://localhost:${typeof address === 'object' ? address?.port : ''}/`
    const { body: project } = await root.post('/projects', { name: 'watched' })
    const hooks = `/projects/${project.id}/hooks`
    expect((await root.post(hooks, { url, issues_events: true })).status).toBe(201)
    expect((await root.post(`/projects/${project.id}/issues`, { title: 'new' })).status).toBe(201)
    expect(await heard).toBe('Issue Hook')
    expect(JSON.stringify((await root.post(hooks, { url: 'http://10.0.0.1/' })).body)).toContain(
      'Requests to the local network are not allowed (administrators can allow them with the setting outbound_local',
    )
    // It is so after a reset, too.
    const headers = { 'private-token': ready.token }
    await fetch(`${ready.url}/-/testing/reset`, { method: 'POST', headers })
    expect((await root.get('/application/settings')).body).toMatchObject({
      outbound_local_requests_whitelist: ['127.0.0.0/8', '::1'],
    })
  })

  test('has no limits, and goes back to its beginning', async () => {
    const { body: settings } = await root.get('/application/settings')
    expect(settings).toMatchObject({ notes_create_limit: 0, failed_authentication_limit: 0 })
    // Tokens are as on every other server.
    expect(settings.require_personal_access_token_expiry).toBe(true)
    expect((await root.post('/projects', { name: 'one' })).body.id).toBe(1)
    const ask = (path: string, body?: object, token = ready.token) =>
      fetch(`${ready.url}/-/testing/${path}`, {
        method: 'POST',
        headers: { 'private-token': token, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })

    // Only who has the administrator's token may.
    for (const [path, body] of [
      ['reset', undefined],
      ['clock', { advance: 1 }],
      ['seed', { seed: 1 }],
    ] as const) {
      expect((await ask(path, body, 'wrong')).status).toBe(401)
    }
    const [one, other] = await Promise.all([ask('reset'), ask('reset')])
    expect([one.status, other.status]).toEqual([204, 204])
    expect((await root.get('/projects')).body).toEqual([])

    // The clock.
    const clock = async (body: object) => (await ask('clock', body)).json()
    const moment = '2031-02-03T04:05:06.000Z'
    expect(await clock({ now: moment, stopped: true })).toEqual({ now: moment, stopped: true })
    const { body: project } = await root.post('/projects', { name: 'one' })
    expect(project).toMatchObject({ id: 1, created_at: moment })
    expect(await clock({ advance: 3_600 })).toEqual({ now: '2031-02-03T05:05:06.000Z', stopped: true })
    expect(await clock({ stopped: false })).toMatchObject({ stopped: false })
    expect((await ask('clock', { advance: -1 })).status).toBe(400)
    expect((await ask('clock', { now: 'soon' })).status).toBe(400)
    expect((await ask('clock', { now: '9999-12-31T00:00:00Z', advance: 86_400 })).status).toBe(400)
    // The administrator's token outlasts that, and a reset resets the clock.
    await clock({ now: '2090-01-01T00:00:00Z' })
    expect((await root.get('/user')).status).toBe(200)
    expect((await ask('reset')).status).toBe(204)
    expect(await clock({})).toMatchObject({ now: expect.stringMatching(/^20[2-8]/) })

    // Secrets.
    const secret = async () => {
      const more = { name: 'made', scopes: 'api', expires_at: '2030-06-01' }
      return (await root.post('/users/1/personal_access_tokens', more)).body.token
    }
    expect((await ask('seed', { seed: 7 })).status).toBe(204)
    const first = await secret()
    expect(await secret()).not.toBe(first)
    expect((await ask('seed', { seed: 7 })).status).toBe(204)
    // It was given out already.
    expect((await ask('reset')).status).toBe(204)
    expect((await ask('seed', { seed: 7 })).status).toBe(204)
    expect(await secret()).toBe(first)
    expect((await ask('seed', { seed: 'x' })).status).toBe(400)
  })

  // The last one.
  test('ends with its input if asked', async () => {
    expect(ready).toMatchObject({ pid: server.pid, url: expect.any(String) })
    const ended = once(server, 'exit')
    server.stdin?.end()
    expect((await ended)[0]).toBe(0)
  })
})

describe('an ephemeral server with a seed', { timeout: 180_000 }, () => {
  test.each([
    ['one', 7, '', {}],
    // As npm does it: a shell outlives the one that was killed.
    ['again', 7, '/bin/sh -c \'"$@"; true\' sh', { npm_lifecycle_event: 'start' }],
  ])(
    'ends when the process that started it was killed: %s, seed %i, %s',
    async (run, seed, by, environment) => {
      const file = join(folder(), 'ready.json')
      // Somebody waits for the file and must not find that of an earlier server.
      writeFileSync(file, '{"url":"of an earlier server"}\n')
      const flags = `--ephemeral --seed=${seed} --ready-file "${file}"`
      const parent = spawn('/bin/sh', ['-c', `${by} "${process.execPath}" "${MAIN}" ${flags} & wait`], {
        env: { ...plainEnvironment(), FORGELET_PORT: '0', ...environment },
        stdio: 'ignore',
      })
      const ready = await readyIn(file)
      onTestFinished(() => void (isRunning(ready.pid) && process.kill(ready.pid, 'SIGKILL')))
      expect(statSync(file).mode & 0o777).toBe(0o600)
      given.set(run, await use(ready))
      parent.kill('SIGKILL')
      await expect.poll(() => isRunning(ready.pid)).toBe(false)
    },
  )

  test('gave the same answers as each other with the same seed, and others with another seed', () => {
    const [one, again, other] = ['one', 'again', 'other'].map((run) => given.get(run))
    expect(one).toEqual(again)
    expect(one?.join()).toContain('2030-01-01T00:00:00.000Z')
    expect(one?.[0]).toBeDefined()
    expect(other?.[0]).toBeDefined()
    expect(one?.[0]).not.toBe(other?.[0])
  })
})

test('other servers have nothing for tests', async () => {
  for (const path of ['reset', 'clock', 'seed'])
    expect((await fetch(`${w.url}/-/testing/${path}`, { method: 'POST' })).status).toBe(404)
})
