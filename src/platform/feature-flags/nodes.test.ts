import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { openListener } from '#platform/db/listener.ts'
import { openDb, openPool } from '#platform/db/pool.ts'
import { transact } from '#platform/db/transaction.ts'
import type { RunningServer } from '#server-options.ts'
import { createScratchDatabase } from '#test/scratch-database.ts'
import { openWorld, type World } from '#test/world.ts'
import { openFeatureFlags } from './feature-flags.ts'
import { setFeatureFlag } from './set-feature-flag.ts'
import { until } from '#test/until.ts'

const path = '/features/generic_alert_fingerprinting'
let world: World
let other: RunningServer
beforeAll(async () => {
  world = await openWorld()
  other = await world.another()
})
afterAll(async () => {
  await other.stop()
  await world.running.stop()
})

describe('a feature flag', () => {
  const on = (node: RunningServer, id?: number) =>
    node.services.featureFlags.isOn('generic_alert_fingerprinting', id === undefined ? {} : { user: { id } })

  test('is seen by every process within a second, and at once by the one that set it', async () => {
    expect([on(world.running), on(other)]).toEqual([false, false])
    await world.root.post(path, { value: true })
    const answered = performance.now()
    expect(on(world.running)).toBe(true)
    await until(() => expect(on(other)).toBe(true))
    const took = performance.now() - answered
    expect(took).toBeLessThan(1_000)
    console.log(`seen in the other process ${took.toFixed(1)} ms after the answer`)
    await world.root.post(path, { value: false })
    await until(() => expect(on(other)).toBe(false))
  })

  test('is on for its actors alone, and has its default again when it is deleted', async () => {
    await world.root.post(path, { value: true, user: 'root' })
    await until(() => expect(on(other, 1)).toBe(true))
    expect([on(other, 2), on(other)]).toEqual([false, false])
    await world.root.delete(path)
    await until(() => expect(on(other, 1)).toBe(false))
  })

  test('asks nothing of the database', async () => {
    expect(await world.statements(async () => void on(world.running, 1))).toEqual([])
  })
})

test('switches are caught up on after the listening connection was lost', async () => {
  await using database = await createScratchDatabase()
  const { address } = database
  const db = openDb(openPool(address, 2))
  const listener = await openListener({ address, maxBackOff: 200 })
  const features = await openFeatureFlags({ db, listener, random: systemRandomness })
  try {
    const reopen = await database.outage()
    await reopen()
    const source = { db: database.db, clock: systemClock, random: systemRandomness }
    await transact(source, { author: null, ip: null }, (tx) =>
      setFeatureFlag(tx, 'container_virtual_registries', { gate: 'everybody', on: true }),
    )
    await until(() => expect(features.isOn('container_virtual_registries')).toBe(true))
  } finally {
    await listener.stop()
    await db.destroy()
  }
})
