import { randomUUID } from 'node:crypto'
import { once as event } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, inject, onTestFinished, test } from 'vitest'
import { once } from './once.ts'

/** Another worker, which asks for something. */
async function ask(name: string) {
  const socket = connect(inject('shelf'))
  onTestFinished(() => void socket.destroy())
  await event(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  socket.write(`${JSON.stringify({ name })}\n`)
  return {
    answer: async () => JSON.parse((await lines.next()).value as string) as unknown,
    say: (made: object) => socket.write(`${JSON.stringify(made)}\n`),
    leave: () => socket.destroy(),
  }
}

test('who asks first makes it, and everybody gets the same', async () => {
  const name = randomUUID()
  const make = Promise.withResolvers<string>()
  const asked = Promise.withResolvers<void>()
  const first = once(name, () => {
    asked.resolve()
    return make.promise
  })
  // Two connections: whichever is read first would be the first.
  await asked.promise
  const other = await ask(name)
  make.resolve('by the first')
  expect(await first).toBe('by the first')
  expect(await other.answer()).toEqual({ value: 'by the first' })
  expect(await once(name, () => Promise.reject(new Error('again')))).toBe('by the first')
})

test('the next one makes it when the maker ends', async () => {
  const name = randomUUID()
  const maker = await ask(name)
  expect(await maker.answer()).toEqual({ make: true })
  const next = once(name, () => Promise.resolve('by the next'))
  maker.leave()
  expect(await next).toBe('by the next')
})

test('a failure is everybody’s', async () => {
  const name = randomUUID()
  const maker = await ask(name)
  await maker.answer()
  maker.say({ error: 'no room' })
  await expect(once(name, () => Promise.resolve('in vain'))).rejects.toThrow('no room')
})
