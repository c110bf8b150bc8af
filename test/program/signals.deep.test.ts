import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Client as Database } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Client } from '#test/client.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { newDatabase, urlOf } from '#test/new-database.ts'
import { folder, forgelet, type Program, READY } from './forgelet.ts'

const root = (url: string) => new Client(url, { 'private-token': ROOT_TOKEN })

/** A server with a request under way that ends when `release` is called. */
async function busyServer() {
  const url = urlOf(await newDatabase())
  const program = forgelet([], {
    FORGELET_DATABASE_URL: url,
    FORGELET_DATA: folder(),
    FORGELET_SECRET_KEY: 'the master key of the tests, long enough',
  })
  const server = await program.saying(READY)
  const database = new Database({ connectionString: url })
  await database.connect()
  onTestFinished(() => database.end())
  await database.query('begin; lock table access_tokens')
  const answer = root(server).get('/projects/1/labels')
  answer.catch(() => {}) // some tests kill the server
  await expect.poll(() => waiting(database)).toBe(1)
  return { program, server, answer, release: () => database.query('commit') }
}

/** Requests that wait for the table. Jobs that change tokens may wait for it, too, with other locks. */
async function waiting(database: Database): Promise<number> {
  const { rows } = await database.query<{ count: string }>(
    `select count(*) from pg_locks where not granted and mode = 'AccessShareLock'
      and database = (select oid from pg_database where datname = current_database())`,
  )
  return Number(rows[0]?.count)
}

describe('a signal', { timeout: 180_000 }, () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s drains: requests end, new ones are refused', async (name) => {
    const { program, server, answer, release } = await busyServer()
    program.process.kill(name)
    await program.saying(/(stopped by)/)
    await expect.poll(() => refused(server)).toBe(true)
    await release()
    const { status, body } = await answer
    expect({ status, body }).toEqual({ status: 404, body: { message: '404 Project Not Found' } })
    expect(await program.ended).toBe(0)
    expect(program.err()).toBe('')
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('a second %s ends the program at once, with code %i', async (name, code) => {
    const { program, answer } = await busyServer()
    program.process.kill(name)
    await program.saying(/(stopped by)/)
    const again = setInterval(() => program.process.kill(name), 100)
    onTestFinished(() => clearInterval(again))
    expect(await program.ended).toBe(code)
    await expect(answer).rejects.toThrow('the request failed')
  })

  test('during the start gives it up', async () => {
    const data = join(folder(), 'data')
    const program = forgelet(['serve'], { FORGELET_DATA: data })
    await expect.poll(() => existsSync(data), { interval: 5 }).toBe(true)
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
    expect(program.out()).not.toMatch(READY)
  })
})

describe('--ephemeral', { timeout: 180_000 }, () => {
  const dataFolder = (program: Program) => {
    const postmaster = Number(/"postmaster":(\d+)/.exec(program.out())?.[1])
    const [, at = ''] = /-D\0?([^\0]+)\0/.exec(readFileSync(`/proc/${postmaster}/cmdline`, 'utf8')) ?? []
    return { postmaster, data: join(at, '..') }
  }

  const secrets = { FORGELET_ROOT_TOKEN: ROOT_TOKEN, FORGELET_ROOT_PASSWORD: 'a password of ours' }

  test.each([
    ['SIGTERM', 0, 'with secrets of its own', {}],
    ['SIGKILL', 'SIGKILL', 'and prints no secret that the environment chose', secrets],
  ] as const)('leaves nothing behind after %s (%s), %s', async (signal, code, _, environment) => {
    const program = forgelet(['--ephemeral'], environment)
    const url = await program.saying(READY)
    const { data, postmaster } = dataFolder(program)
    const isChosen = 'FORGELET_ROOT_TOKEN' in environment
    expect(existsSync(join(data, FIRST_SECRETS))).toBe(!isChosen)
    const token = isChosen ? ROOT_TOKEN : tokenIn(data)
    expect((await new Client(url, { 'private-token': token }).get('/projects/1/labels')).status).toBe(404)
    if (isChosen) expect(program.out()).not.toMatch(/administrator|a password of ours|the-root-token/)
    expect(existsSync(join(data, 'secret.key'))).toBe(true)
    program.process.kill(signal)
    expect(await program.ended).toBe(code)
    await expect.poll(() => [existsSync(data), existsSync(`/proc/${postmaster}`)]).toEqual([false, false])
  })
})

describe('serve', { timeout: 180_000 }, () => {
  test('keeps the first secrets even when the start fails afterwards, out of the log and only once', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const address = taken.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const data = join(folder(), 'data')
    const environment = { FORGELET_DATA: data }
    const failed = forgelet([], { ...environment, FORGELET_PORT: port })
    expect(await failed.ended).toBe(1)
    expect(failed.err()).toBe(
      `forgelet: 127.0.0.1:${port} is in use by another program: stop that one, or choose another with FORGELET_PORT.\n`,
    )
    const file = await failed.saying(/first secrets are in ([^:]+): keep them elsewhere/)
    expect(file).toBe(join(data, FIRST_SECRETS))
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const token = tokenIn(data)
    const password = /^ {2}password {2}(\S{20})$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
    expect([token, password]).not.toContain('')
    for (const secret of [token, password]) expect(failed.out() + failed.err()).not.toContain(secret)

    const program = forgelet([], environment)
    const url = await program.saying(READY)
    const { body } = await new Client(url, { 'private-token': token }).get('/personal_access_tokens/self')
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBeLessThanOrEqual(365 * 86_400_000)
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBeGreaterThan(363 * 86_400_000)
    expect(program.out()).not.toContain('administrator')

    const second = forgelet(['token', 'create', '--user=root', '--name=x', '--scope=api'], environment)
    expect([await second.ended, second.err()]).toEqual([0, ''])
    const beside = new Client(url, { 'private-token': second.out().trim() })
    expect((await beside.get('/user')).body.username).toBe('root')
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })
})

const FIRST_SECRETS = 'first-administrator.txt'

/** The token that the first start left in a data folder, where its output is no terminal. */
function tokenIn(data: string): string {
  return /^ {2}token {5}(\S+)$/m.exec(readFileSync(join(data, FIRST_SECRETS), 'utf8'))?.[1] ?? ''
}

async function refused(url: string): Promise<boolean> {
  return fetch(url).then(
    () => false,
    () => true,
  )
}
