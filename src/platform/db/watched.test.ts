import { describe, expect, it } from 'vitest'
import type { Listener } from './listener.ts'
import { watch } from './watched.ts'
import { until } from '#test/until.ts'

/** A value that can be made unreadable, and a listener whose notifications and pauses a test gives itself. */
async function watched() {
  const stopping = new AbortController()
  const handlers: (() => void)[] = []
  const listener: Listener = {
    on: async (_, handler) => void handlers.push(() => handler('')),
    onReconnect: (handler) => void handlers.push(handler),
    health: () => ({ connected: true, error: null }),
    stopped: stopping.signal,
    stop: async () => stopping.abort(),
  }
  const state = { value: 'first', readable: true, reads: 0 }
  const pauses: number[] = []
  const errors: unknown[] = []
  let pass: (() => void) | undefined
  const view = await watch({
    listener,
    channel: 'a channel',
    read: async () => {
      state.reads += 1
      if (!state.readable) throw new Error('busy')
      return state.value
    },
    onError: (error) => errors.push(error),
    pause: (milliseconds, signal) => {
      pauses.push(milliseconds)
      return new Promise((resolve, reject) => {
        pass = () => resolve(undefined)
        signal.addEventListener('abort', () => reject(new Error('aborted')))
      })
    },
  })
  return {
    view,
    state,
    pauses,
    errors,
    stop: () => listener.stop(),
    change: (value: string) => {
      state.value = value
      handlers[0]?.()
    },
    /** Lets one pause end, once the next one is asked for. */
    wait: async () => {
      await until(() => expect(pass).toBeDefined())
      const end = pass
      pass = undefined
      end?.()
    },
  }
}

describe('a watched value', () => {
  it('is read again until it can be, however long that takes', async () => {
    const { view, state, pauses, errors, change, wait } = await watched()
    state.readable = false
    change('second')
    for (let times = 0; times < 50; times += 1) await wait()
    await until(() => expect(pauses).toHaveLength(51))
    expect(view.current()).toBe('first')
    expect(pauses.slice(0, 8)).toEqual([100, 300, 1_000, 3_000, 10_000, 30_000, 30_000, 30_000])
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeGreaterThan(20 * 60_000)
    expect(errors.length).toBeGreaterThanOrEqual(50)
    state.readable = true
    await wait()
    await until(() => expect(view.current()).toBe('second'))
    const { reads } = state
    await new Promise(setImmediate)
    expect(state.reads).toBe(reads)
  })

  it('is tried in one series, however often changes are heard of', async () => {
    const { view, state, pauses, change, wait } = await watched()
    state.readable = false
    for (const [index, value] of ['a', 'b', 'c', 'd'].entries()) {
      change(value)
      await until(() => expect(pauses).toHaveLength(index + 1))
    }
    await wait()
    await until(() => expect(pauses).toEqual([100, 100, 100, 100, 300]))
    const { reads } = state
    state.readable = true
    await wait()
    await until(() => expect(view.current()).toBe('d'))
    expect(state.reads).toBe(reads + 1)
  })

  it('is left alone once the listener is stopped', async () => {
    const { state, pauses, change, stop } = await watched()
    state.readable = false
    change('second')
    await until(() => expect(pauses).toHaveLength(1))
    await stop()
    const { reads } = state
    await new Promise(setImmediate)
    expect([state.reads, pauses.length]).toEqual([reads, 1])
  })
})
