import { describe, expect, test } from 'vitest'
import { onBehalfOf } from '#platform/shares/caller.ts'
import { KeptAnswers } from './kept-answers.ts'

const MEGABYTE = 1024 * 1024
const one = { id: 1 }
const two = { id: 2 }

/** Counts how often each key was asked. */
function asker(kept: KeptAnswers) {
  const asked: string[] = []
  const answer = (repository: { readonly id: number }, key: string, bytes: number | undefined = 8) =>
    kept.answer(
      repository,
      key,
      async () => {
        asked.push(`${repository.id} ${key}`)
        return `answer to ${key}`
      },
      { bytes: () => bytes },
    )
  return { asked, answer }
}

const large = { bytes: () => MEGABYTE - 1_000 }

/** Asks for an answer. @returns whether it was kept */
async function isKept(kept: KeptAnswers, repository: number, key: string) {
  const { hits } = kept.usage
  await kept.answer({ id: repository }, key, () => Promise.resolve(key), large)
  return kept.usage.hits > hits
}

describe('answers of git', () => {
  test('are asked for once, and for each repository', async () => {
    const kept = new KeptAnswers()
    const { asked, answer } = asker(kept)
    expect([await answer(one, 'a'), await answer(one, 'a'), await answer(two, 'a')]).toEqual(
      Array.from({ length: 3 }, () => 'answer to a'),
    )
    expect(asked).toEqual(['1 a', '2 a'])
    expect(kept.usage).toMatchObject({ hits: 1, misses: 2 })
  })

  test('are asked for once by all who want one at the same time', async () => {
    const { asked, answer } = asker(new KeptAnswers())
    await Promise.all(Array.from({ length: 20 }, () => answer(one, 'a')))
    expect(asked).toEqual(['1 a'])
  })

  test('are not kept when they are large, not whole, or about very many ids', async () => {
    const kept = new KeptAnswers()
    const { asked, answer } = asker(kept)
    const long = 'x'.repeat(5_000)
    for (const _ of [1, 2]) {
      await answer(one, 'large', MEGABYTE + 1)
      await kept.answer(one, 'partial', async () => asked.push('1 partial'), { bytes: () => undefined })
      await answer(one, long)
    }
    expect(asked).toHaveLength(6)
    expect(kept.usage.bytes).toBe(0)
  })

  test('about one repository leave room for those about others', async () => {
    const kept = new KeptAnswers()
    const { asked, answer } = asker(kept)
    await answer(two, 'mine')
    for (let n = 0; n < 100; n += 1) await answer(one, String(n), MEGABYTE)
    expect(kept.usage.bytes).toBeLessThan(8.1 * MEGABYTE)
    asked.length = 0
    await answer(two, 'mine')
    await answer(one, '99', MEGABYTE)
    expect(asked).toEqual([])
    await answer(one, '0', MEGABYTE)
    expect(asked).toEqual(['1 0'])
  })

  test('have a bound in all, and the repository that was asked longest ago gives way', async () => {
    const kept = new KeptAnswers()
    const { asked, answer } = asker(kept)
    for (let id = 1; id <= 10; id += 1) {
      for (let n = 0; n < 7; n += 1) await answer({ id }, String(n), MEGABYTE)
    }
    expect(kept.usage.bytes).toBeLessThanOrEqual(32 * MEGABYTE)
    asked.length = 0
    await answer({ id: 10 }, '6', MEGABYTE)
    await answer({ id: 1 }, '6', MEGABYTE)
    expect(asked).toEqual(['1 6'])
  })

  test('about several ids are asked for together, those that are missing alone', async () => {
    const kept = new KeptAnswers()
    const asked: (readonly string[])[] = []
    const ask = async (missing: readonly string[]) => {
      asked.push(missing)
      return new Map(missing.filter((id) => id !== 'unknown').map((id) => [id, id.length]))
    }
    const answers = (...ids: string[]) => kept.answers(one, 'length', ids, ask, { bytes: () => 8 })
    expect(await answers('a', 'bb')).toEqual(
      new Map([
        ['a', 1],
        ['bb', 2],
      ]),
    )
    expect([...(await answers('a', 'ccc', 'unknown')).keys()]).toEqual(['a', 'ccc'])
    await answers('unknown')
    expect(asked).toEqual([['a', 'bb'], ['ccc', 'unknown'], ['unknown']])
  })

  test('are asked for once by all who ask at the same time, even if they are too large to be kept', async () => {
    const kept = new KeptAnswers()
    let asked = 0
    const ask = () => Promise.resolve((asked += 1))
    const all = () =>
      Promise.all([1, 2, 3].map(() => kept.answer(one, 'a', ask, { bytes: () => 2 * MEGABYTE })))
    expect(await all()).toEqual([1, 1, 1])
    expect(await all()).toEqual([2, 2, 2])
    expect(kept.usage).toEqual({ bytes: 0, hits: 4, misses: 2 })
  })

  test('are neither failures nor parts: whoever waited for one asks at once', async () => {
    const kept = new KeptAnswers()
    const first = Promise.withResolvers<string>()
    const others = Promise.withResolvers<string>()
    let running = 0
    const later = () => {
      running += 1
      if (running === 2) others.resolve('whole')
      return others.promise
    }
    const failing = kept.answer(one, 'a', () => first.promise, large)
    // They run at the same time, or neither of them would end.
    const waiting = [1, 2].map(() => kept.answer(one, 'a', later, large))
    first.reject(new Error('no time'))
    await expect(failing).rejects.toThrow('no time')
    expect(await Promise.all(waiting)).toEqual(['whole', 'whole'])

    const part = () => kept.answer(one, 'b', () => Promise.resolve('part'), { bytes: () => undefined })
    expect(await Promise.all([part(), part()])).toEqual(['part', 'part'])
    expect(await isKept(kept, 1, 'b')).toBe(false)
  })

  test('of one caller, who asks about many repositories, leave those of others', async () => {
    const kept = new KeptAnswers()
    await onBehalfOf(
      () => 'user 1',
      () => isKept(kept, 1, 'a'),
    )
    const many = async () => {
      for (let id = 2; id < 50; id += 1) await isKept(kept, id, 'a')
    }
    await onBehalfOf(() => 'user 2', many)
    expect(kept.usage.bytes).toBeLessThan(10 * MEGABYTE)
    expect(await isKept(kept, 1, 'a')).toBe(true)
    expect(await isKept(kept, 2, 'a')).toBe(false)
  })
})
