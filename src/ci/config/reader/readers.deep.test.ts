import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Order, Reply } from './messages.ts'
import { unpack } from './packed.ts'
import { Readers, type ReaderLimits, usualLimits } from './readers.ts'
import type { Answering } from './reading.ts'

let readers: Readers
beforeEach(() => (readers = new Readers()))
afterEach(() => readers.close())

function limitedTo(limits: Partial<ReaderLimits>): void {
  readers = new Readers({ ...usualLimits, ...limits })
}

/** Milliseconds that a process may take: it needs some of them to start. */
const SHORT = 5_000

const orderOf = (text: string): Order => ({
  text,
  file: '.gitlab-ci.yml',
  tree: 'own',
  inputs: {},
  ref: 'main',
  isTag: false,
  source: 'push',
  projectPath: 'group/project',
  predefined: new Map(),
  kept: new Map(),
  given: new Map(),
  shows: false,
})
const nobodyAsks: Answering = () => Promise.reject(new Error('Nothing is included'))

const read = (text: string, answer = nobodyAsks, caller = 'project 1') =>
  readers.read(caller, orderOf(text), answer)
async function names(text: string, answer?: Answering, caller?: string): Promise<string[] | undefined> {
  const outcome = await read(text, answer, caller)
  return 'text' in outcome ? unpack(outcome.text).chosen?.jobs.map(({ name }) => name) : undefined
}

const FINE = 'job: { script: x }'
const INCLUDES = `include: [a.yml]\n${FINE}`
const included: Reply = {
  files: [
    {
      files: [
        {
          text: 'other: { script: x }',
          tree: 'own',
          shown: {
            type: 'local',
            location: 'a.yml',
            blob: null,
            raw: null,
            extra: {},
            contextProject: null,
            contextSha: null,
          },
        },
      ],
    },
  ],
}

describe('a process', () => {
  test('is ended when it works too long, and the next reading has another one', async () => {
    limitedTo({ work: SHORT })
    // Its pattern matches in as many ways as there are letters, each of them twice over.
    const pattern = `{a*,*a}`.repeat(12)
    const text = `job: { script: x, rules: [{ changes: ["${pattern}b"] }] }`
    const answer: Answering = () => Promise.resolve({ paths: `${'a'.repeat(60)}\0` })
    expect(await read(text, answer)).toEqual({ tooMuch: 'work' })
    expect(await names(FINE)).toEqual(['job'])
  })

  test('is ended when what it asks for does not come', async () => {
    limitedTo({ time: SHORT })
    let ended: unknown
    const answer: Answering = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject((ended = signal.reason)), { once: true })
      })
    expect(await read(INCLUDES, answer)).toEqual({ tooMuch: 'time' })
    expect(ended).toBeInstanceOf(Error)
    expect(await names(FINE)).toEqual(['job'])
  })

  test('is ended when it takes too much memory', async () => {
    limitedTo({ megabytes: 24 })
    const jobs = Array.from({ length: 900 }, (_, at) => `job${at}: { script: ["${'x'.repeat(1_000)}"] }`)
    const variables = Array.from({ length: 400 }, (_, at) => `  V${at}: "${'y'.repeat(2_000)}"`)
    expect(await read(`variables:\n${variables.join('\n')}\n${jobs.join('\n')}`)).toEqual({
      tooMuch: 'memory',
    })
    expect(await names(FINE)).toEqual(['job'])
  })

  test('waits for answers at no cost of its time', async () => {
    limitedTo({ work: SHORT })
    await names(FINE)
    const answer: Answering = () =>
      new Promise((resolve) => {
        setTimeout(() => resolve(included), SHORT + 100)
      })
    expect(await names(INCLUDES, answer)).toEqual(['other', 'job'])
  })

  test('stays when the server has no answer, and the caller learns why', async () => {
    const why = new Error('the repository is away')
    await expect(read(INCLUDES, () => Promise.reject(why))).rejects.toBe(why)
    expect(await names(INCLUDES, () => Promise.resolve(included))).toEqual(['other', 'job'])
  })

  test('answers with an error for what goes too deep or is too large', async () => {
    const errorsOf = async (text: string) => {
      const outcome = await read(text)
      return 'text' in outcome ? unpack(outcome.text).errors.map((one) => one.text) : outcome
    }
    expect(await errorsOf(`a: ${'['.repeat(20_000)}`)).toEqual([expect.stringContaining('too big')])
    const script = `["${'x'.repeat(150_000)}"]`
    const many = Array.from({ length: 300 }, (_, at) => `job${at}: { script: *s }`)
    expect(await errorsOf(`.s: &s ${script}\n${many.join('\n')}`)).toEqual([
      expect.stringContaining('too big'),
    ])
  })
})

describe('callers', () => {
  test('leave a process for each other', async () => {
    let begun = 0
    const held = Promise.withResolvers<Reply>()
    const asked = Promise.withResolvers<void>()
    const answer: Answering = () => {
      begun += 1
      asked.resolve()
      return held.promise
    }
    const slow = [1, 2, 3].map(() => names(INCLUDES, answer, 'project 1'))
    expect(await names(FINE, undefined, 'project 2')).toEqual(['job'])
    await asked.promise
    expect(begun).toBe(1)
    held.resolve(included)
    expect(await Promise.all(slow)).toEqual([1, 2, 3].map(() => ['other', 'job']))
  })

  test('are refused when too many of theirs wait, and when the server stops', async () => {
    limitedTo({ shares: { ...usualLimits.shares, waiting: 1 } })
    const held = Promise.withResolvers<Reply>()
    const asked = Promise.withResolvers<void>()
    const answer: Answering = () => {
      asked.resolve()
      return held.promise
    }
    const first = read(INCLUDES, answer)
    const second = read(INCLUDES, answer)
    await expect(read(FINE)).rejects.toMatchObject({ kind: 'busy' })
    expect(await names(FINE, undefined, 'project 2')).toEqual(['job'])
    await asked.promise
    const ends = Promise.allSettled([first, second])
    await readers.close()
    for (const end of await ends) expect(end).toMatchObject({ status: 'rejected', reason: { kind: 'busy' } })
  })
})
