import { isLong } from '#test/long.ts'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import type { EmbeddedDatabase, EmbeddedState } from '#platform/db/embedded/index.ts'
import {
  checkpointerOf,
  findWatchdog,
  folder,
  kill,
  leftOn,
  lines,
  owner,
  query,
  spawnOwner,
  start,
  until,
  watchdogOf,
} from './helpers.ts'

const ROUNDS = isLong ? 20 : 5

describe('a killed server', { timeout: 180_000 }, () => {
  test('is restarted under load without losing what was acknowledged', async () => {
    const logged = lines()
    const states: EmbeddedState[] = []
    const database = await start(folder(), { log: logged.log, onState: (state) => states.push(state) })
    await query(
      database.connection,
      'CREATE TABLE written (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)',
    )
    const load = new Load(database)
    const recoveries: number[] = []
    for (let round = 0; round < 3; round++) {
      const enough = load.acknowledged.length + 100
      await until(() => load.acknowledged.length >= enough)
      const killedAt = performance.now()
      process.kill(database.pid() ?? 0, 'SIGKILL')
      await until(() => database.state() === 'restarting')
      await until(() => database.state() === 'running')
      const before = load.acknowledged.length
      await until(() => load.acknowledged.length > before)
      recoveries.push(Math.round(performance.now() - killedAt))
    }
    await load.end()
    console.log(`from SIGKILL to the next acknowledged row: ${recoveries.join(', ')} ms`)
    expect(Math.max(...recoveries)).toBeLessThan(5000)
    expect(await lost(database.connection, load.acknowledged)).toEqual([])
    expect(states.slice(0, 4)).toEqual(['starting', 'running', 'restarting', 'running'])
    expect(logged.text()).toContain('error PostgreSQL ended unexpectedly: restarting it.')
  })

  test('also when a backend is busy, when only a backend is killed, and when somebody sends SIGTERM; not when stopped', async () => {
    const states: EmbeddedState[] = []
    const dataDir = folder()
    const database = await start(dataDir, { ephemeral: true, onState: (state) => states.push(state) })
    const busy = new Client(database.connection)
    busy.on('error', () => {})
    await busy.connect()
    const counting = busy
      .query('SELECT count(*) FROM generate_series(1, 1e12)')
      .catch((error: unknown) => error)
    await until(
      async () =>
        (await query(database.connection, "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT count%'"))
          .length > 0,
    )
    process.kill(database.pid() ?? 0, 'SIGKILL')
    expect(await counting).toBeInstanceOf(Error)
    await until(() => states.length >= 4)

    process.kill(checkpointerOf(database), 'SIGKILL')
    await until(() => states.length >= 6)

    const idle = new Client(database.connection)
    idle.on('error', () => {})
    await idle.connect()
    process.kill(database.pid() ?? 0, 'SIGTERM')
    await until(() => states.length >= 8)
    const again: EmbeddedState[] = ['restarting', 'running']
    expect(states).toEqual(['starting', 'running', ...again, ...again, ...again])
    expect(await query(database.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])

    process.kill(database.pid() ?? 0, 'SIGKILL')
    await until(() => database.state() === 'restarting')
    await database.stop()
    expect(states.slice(8)).toEqual(['restarting', 'stopped'])
    expect(leftOn(dataDir)).toEqual([])
    expect(existsSync(dataDir)).toBe(false)
  })
})

describe('a killed Forgelet', { timeout: 180_000 }, () => {
  test('takes its server along', async () => {
    const dataDir = folder()
    const forgelet = await owner(dataDir)
    await forgelet.kill()
    await until(() => leftOn(dataDir).length === 0)
    expect(existsSync(join(dataDir, 'postgresql', 'postmaster.pid'))).toBe(false) // an orderly shutdown
    expect(existsSync(forgelet.connection.host)).toBe(false)
  })

  test('killed with its watchdog leaves an orphan that the next start ends', async () => {
    const dataDir = folder()
    const forgelet = await owner(dataDir)
    await query(forgelet.connection, 'CREATE TABLE kept AS SELECT 42 AS answer')
    forgelet.process.kill('SIGSTOP') // or it would start another watchdog
    process.kill(watchdogOf(dataDir), 'SIGKILL')
    await forgelet.kill()
    expect(leftOn(dataDir)).toContain(forgelet.postmaster)
    const logged = lines()
    const { connection } = await start(dataDir, { log: logged.log })
    expect(await query(connection, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    expect(leftOn(dataDir)).not.toContain(forgelet.postmaster)
    expect(existsSync(forgelet.connection.host)).toBe(false)
    expect(logged.text()).toContain('still runs on the data folder')
  })

  test('leaves nothing when ephemeral, by a second watchdog if the first was killed', async () => {
    const dataDir = folder()
    const forgelet = await owner(dataDir, ['ephemeral'])
    const first = watchdogOf(dataDir)
    process.kill(first, 'SIGKILL')
    await until(() => ![undefined, first].includes(findWatchdog(dataDir)))
    await forgelet.kill()
    await until(() => leftOn(dataDir).length === 0)
    expect(existsSync(forgelet.connection.host)).toBe(false)
    expect(existsSync(dataDir)).toBe(false)
  })

  test('during its first start leaves no half cluster', async () => {
    const dataDir = folder()
    const drafts = (): string[] => readdirSync(dataDir).filter((name) => name.startsWith('postgresql.init-'))
    const forgelet = spawnOwner(dataDir)
    await until(() => drafts().some((name) => existsSync(join(dataDir, name, 'global'))))
    await kill(forgelet)
    const { connection } = await start(dataDir)
    expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(drafts()).toEqual([])
  })

  test('before the files of a copied cluster are on disk makes another one', async () => {
    const dataDir = folder()
    const first = await start(dataDir)
    await query(first.connection, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await first.stop()
    // What a start leaves that is killed before anybody was answered.
    writeFileSync(join(dataDir, 'postgresql.init-unwritten'), '')
    const { connection } = await start(dataDir)
    expect(await query(connection, `SELECT to_regclass('kept') AS kept`)).toEqual([{ kept: null }])
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgresql.init-'))).toEqual([])
  })

  test(`together with its server, ${ROUNDS} times while writing, loses nothing acknowledged`, async () => {
    const dataDir = folder()
    const prepared = await start(dataDir)
    await query(
      prepared.connection,
      'CREATE TABLE written (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)',
    )
    await prepared.stop()
    const acknowledged: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const forgelet = await owner(dataDir, ['write'])
      await until(() => forgelet.acknowledged().length > 0)
      await delay(Math.random() * 300)
      const targets = [forgelet.process.pid ?? 0, forgelet.postmaster, watchdogOf(dataDir)]
      const from = Math.floor(Math.random() * 3)
      for (let index = 0; index < 3; index++) process.kill(targets[(from + index) % 3] ?? 0, 'SIGKILL')
      await forgelet.kill()
      acknowledged.push(...forgelet.acknowledged())
    }
    const { connection } = await start(dataDir)
    expect(await lost(connection, acknowledged)).toEqual([])
    console.log(`${ROUNDS} kills of both, ${acknowledged.length} acknowledged rows, none lost`)
  }, 180_000)
})

/** Four writers that go on through broken connections and remember what was acknowledged. */
class Load {
  readonly acknowledged: string[] = []
  readonly #database: EmbeddedDatabase
  readonly #writers: Promise<void>[]
  #ended = false

  constructor(database: EmbeddedDatabase) {
    this.#database = database
    this.#writers = [1, 2, 3, 4].map(() => this.#write())
  }

  async end(): Promise<void> {
    this.#ended = true
    await Promise.all(this.#writers)
  }

  async #write(): Promise<void> {
    while (!this.#ended) {
      const client = new Client(this.#database.connection)
      client.on('error', () => {})
      try {
        await client.connect()
        while (!this.#ended) {
          const { rows } = await client.query<{ id: string }>(
            'INSERT INTO written DEFAULT VALUES RETURNING id',
          )
          this.acknowledged.push(rows[0]?.id ?? '')
        }
      } catch {
        await delay(5)
      }
      await client.end().catch(() => {})
    }
  }
}

/** The acknowledged rows that are not in the table. */
async function lost(connection: EmbeddedDatabase['connection'], acknowledged: string[]): Promise<string[]> {
  const present = new Set(
    (await query<{ id: string }>(connection, 'SELECT id FROM written')).map(({ id }) => id),
  )
  return acknowledged.filter((id) => !present.has(id))
}
