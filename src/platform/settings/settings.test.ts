import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
// Every feature names its settings.
import '#app.ts'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { openListener } from '#platform/db/listener.ts'
import { type Db, openDb, openPool } from '#platform/db/pool.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { count } from '#platform/http/schema.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { changeSettings } from './change-settings.ts'
import { definitionOf, setting, settingDefinitions, type Settings } from './definitions.ts'
import { openSettings, type SettingsView } from './settings.ts'
import { isSettingName, settingNames } from './values.ts'
import { until } from '#test/until.ts'

let database: ScratchDatabase
const closing: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  database = await createScratchDatabase()
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  await database.db.deleteFrom('settings').execute()
})
afterAll(() => database[Symbol.asyncDispose]())

/** As another process has it: its own pool and its own listening connection. */
async function node(): Promise<SettingsView & { db: Db }> {
  const address = database.address
  const db = openDb(openPool(address, 2))
  const listener = await openListener({ address, maxBackOff: 200 })
  closing.push(
    () => listener.stop(),
    () => db.destroy(),
  )
  return { ...(await openSettings({ db, listener })), db }
}

function write<T>(work: (tx: Tx) => Promise<T>, db: Db = database.db): Promise<T> {
  return transact({ db, clock: systemClock, random: systemRandomness }, { author: null, ip: null }, work)
}

const change = (patch: Partial<Settings>): Promise<void> => write((tx) => changeSettings(tx, patch))
describe('settings', () => {
  it('have their defaults until they are set', async () => {
    const { current } = await node()
    expect(current()).toMatchObject({ default_project_visibility: 'private', notes_create_limit: 300 })
    expect(Object.keys(current())).toEqual(settingNames())
    expect(current()).toBe(current())
    expect(Object.isFrozen(current()) && Object.isFrozen(current().restricted_visibility_levels)).toBe(true)
  })

  it('all say in one sentence what they are for', () => {
    const bad = settingNames().filter((name) => !/^[A-Z].+\.$/.test(definitionOf(name).about))
    expect(bad).toEqual([])
  })

  it('are in alphabetical order, whichever feature has them', () => {
    expect(settingNames()).toEqual(settingNames().toSorted())
    expect(settingNames()).toContain('notes_create_limit')
  })

  it('are those that features name', async () => {
    const { current, reload } = await node()
    const own = { poems_create_limit: setting(count(), 5, 'Poems that a user may write per minute.') }
    using _ = settingDefinitions.add(own)
    expect(await reload()).toHaveProperty('poems_create_limit', 5)
    expect(isSettingName('poems_create_limit')).toBe(true)
    expect(current()).toHaveProperty('notes_create_limit', 300)
  })

  it('have one feature each', () => {
    const second = { notes_create_limit: setting(count(), 1, 'Another one.') }
    using _ = settingDefinitions.add(second)
    expect(() => settingNames()).toThrow('two features define the setting notes_create_limit')
  })

  it('are seen in every process within a second of the commit', async () => {
    const nodes = await Promise.all([node(), node()])
    const calls: unknown[] = []
    nodes[1].onChange((now, before) => calls.push([before.notes_create_limit, now.notes_create_limit]))
    await write((tx) => changeSettings(tx, { notes_create_limit: 7 }), nodes[0].db)
    const committed = performance.now()
    await until(() => expect(nodes.map(({ current }) => current().notes_create_limit)).toEqual([7, 7]))
    const took = performance.now() - committed
    expect(took).toBeLessThan(1_000)
    console.log(`seen in both processes ${took.toFixed(1)} ms after the commit`)
    expect(calls).toEqual([[300, 7]])
    expect(nodes[0].current().can_create_group).toBe(true)
  })

  it('can be read again at once by the request that changed them', async () => {
    const { current, reload } = await node()
    await change({ can_create_group: false })
    await Promise.all([reload(), reload(), reload()])
    expect(current().can_create_group).toBe(false)
  })

  it('do not change when the transaction is undone', async () => {
    const { reload } = await node()
    const undone = write(async (tx) => {
      await changeSettings(tx, { gravatar_enabled: true })
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    expect((await reload()).gravatar_enabled).toBe(false)
  })

  it('are caught up on after the connection was lost', async () => {
    const { current } = await node()
    const reopen = await database.outage()
    await reopen()
    // Heard by nobody, or by the connection that came back: seen in either case. A connection of the pool may be one of
    // those that were cut.
    await until(() => change({ max_attachment_size: 5 }))
    await until(() => expect(current().max_attachment_size).toBe(5))
  })

  it('are a fact with what was changed, and what it was before', async () => {
    await change({ personal_access_token_prefix: 'frg-', max_personal_access_token_lifetime: null })
    const fact = await database.db
      .selectFrom('facts')
      .select(['name', 'details'])
      .orderBy('id', 'desc')
      .executeTakeFirst()
    const changes = { personal_access_token_prefix: 'frg-', max_personal_access_token_lifetime: null }
    const before = { personal_access_token_prefix: 'glpat-', max_personal_access_token_lifetime: 365 }
    expect(fact).toEqual({ name: 'settings changed', details: { changes, before } })
  })
})

describe('values that are not accepted', () => {
  it('are refused by name before anything is written', async () => {
    const { reload } = await node()
    const bad = change({
      notes_create_limit: -1,
      can_create_group: false,
      personal_access_token_prefix: 'a b',
    })
    await expect(bad).rejects.toMatchObject({
      name: 'InvalidSettings',
      faults: {
        notes_create_limit: ['must be >= 0'],
        personal_access_token_prefix: [expect.stringContaining('must match pattern')],
      },
    })
    expect((await reload()).can_create_group).toBe(true)
  })

  it('count as not set when they are in the table all the same', async () => {
    await sql`
      insert into settings values ('notes_create_limit', '"many"', now()), ('of a later version', '1', now()),
        ('can_create_group', 'false', now())`.execute(database.db)
    const { current } = await node()
    expect(current()).toMatchObject({ notes_create_limit: 300, can_create_group: false })
    expect(current()).not.toHaveProperty('of a later version')
  })
})
