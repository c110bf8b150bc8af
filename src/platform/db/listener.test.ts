import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { type Listener, openListener } from './listener.ts'
import { until } from '#test/until.ts'

let database: ScratchDatabase
const opened: Listener[] = []

beforeAll(async () => {
  database = await createScratchDatabase()
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((listener) => listener.stop()))
})
afterAll(() => database[Symbol.asyncDispose]())

async function open(onError?: (error: unknown) => void): Promise<Listener> {
  const address = database.address
  const listener = await openListener({ address, maxBackOff: 200, ...(onError && { onError }) })
  opened.push(listener)
  return listener
}

const notify = (channel: string, payload: string) =>
  database.pool.query('select pg_notify($1, $2)', [channel, payload])

describe('the listener', () => {
  it('hands each notification to all handlers of its channel and to no others', async () => {
    const listener = await open()
    const heard: string[] = []
    await listener.on('a channel', (payload) => heard.push(`first ${payload}`))
    await listener.on('a channel', (payload) => heard.push(`second ${payload}`))
    await listener.on('another', (payload) => heard.push(`other ${payload}`))
    await notify('a channel', 'x')
    await until(() => expect(heard).toEqual(['first x', 'second x']))
  })

  it('says that it is away, comes back by itself, and tells of the gap', async () => {
    const errors: unknown[] = []
    const heard: string[] = []
    const listener = await open((error) => errors.push(error))
    await listener.on('known before', (payload) => heard.push(payload))
    let reconnected = 0
    listener.onReconnect(() => reconnected++)
    expect(listener.health()).toEqual({ connected: true, error: null })

    const reopen = await database.outage()
    await until(() => expect(listener.health().connected).toBe(false))
    await listener.on('known meanwhile', (payload) => heard.push(payload))
    await until(() => expect(errors.length).toBeGreaterThan(1))
    expect(listener.health().error).toContain('not currently accepting connections')
    await reopen()

    await until(() => expect(reconnected).toBe(1))
    expect(listener.health()).toEqual({ connected: true, error: null })
    await notify('known before', '1')
    await notify('known meanwhile', '2')
    await until(() => expect(heard).toEqual(['1', '2']))
  })

  it('can be stopped while it is away', async () => {
    const listener = await open()
    const reopen = await database.outage()
    await until(() => expect(listener.health().connected).toBe(false))
    await listener.stop()
    await reopen()
    expect(listener.health().connected).toBe(false)
  })

  it('does not start without a database', async () => {
    const address = { connectionString: 'postgres://forgelet@127.0.0.1:1/none' }
    await expect(openListener({ address })).rejects.toThrow('ECONNREFUSED')
  })
})
