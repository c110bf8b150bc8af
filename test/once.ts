import { once as event } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { inject } from 'vitest'
import type { Answer, Made, Value } from './shelf.ts'

const known = new Map<string, Promise<unknown>>()

/**
 * What a run of tests needs once: made when somebody first asks for it, in the worker that asks, and the same for all
 * workers until the run ends. Whoever asks meanwhile waits. A maker that is killed leaves the work to the next.
 *
 * @param name tells it from the others.
 * @param make makes it. Its files belong below `inject('dataDir')`, which the run removes at its end. What has to run longer
 * than a worker does not belong here, but into the makers of `run.ts`.
 * @returns what `make` returned, in whichever worker: a value as JSON has it, such as paths and names.
 * @throws what went wrong, to everybody who asks.
 */
export function once<T extends Value>(name: string, make: () => Promise<T>): Promise<T> {
  const asked = known.get(name) ?? ask(name, make)
  known.set(name, asked)
  return asked as Promise<T>
}

/** What the process that started the workers makes: see `run.ts`. */
export function fromRun<T extends Value>(name: string): Promise<T> {
  return once<T>(name, () => Promise.reject(new Error(`nobody makes ${name}`)))
}

async function ask(name: string, make: () => Promise<Value>): Promise<Value> {
  const socket = connect(inject('shelf'))
  try {
    await event(socket, 'connect')
    const say = (words: { readonly name: string } | Made) => socket.write(`${JSON.stringify(words)}\n`)
    const lines = createInterface({ input: socket })
    say({ name })
    const { value: line, done } = await lines[Symbol.asyncIterator]().next()
    if (done === true) throw new Error(`The run ended before there was ${name}`)
    const answer = JSON.parse(line) as Answer
    if ('value' in answer) return answer.value
    if ('error' in answer) throw new Error(`${name}: ${answer.error}`)
    const made = await outcomeOf(make)
    say(made)
    if ('error' in made) throw new Error(`${name}: ${made.error}`)
    return made.value
  } finally {
    socket.end()
  }
}

/** What came of making something: its value, or what went wrong. */
async function outcomeOf(make: () => Promise<Value>): Promise<Made> {
  try {
    return { value: await make() }
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
