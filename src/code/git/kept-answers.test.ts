import { describe, expect, test } from 'vitest'
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

  test('are asked for again by whoever waited for somebody who failed', async () => {
    const kept = new KeptAnswers()
    let tries = 0
    const ask = async () => {
      tries += 1
      await Promise.resolve()
      if (tries === 1) throw new Error('out of time')
      return 7
    }
    const both = [1, 2].map(() => kept.answer(one, 'a', ask, { bytes: () => 8 }))
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
    expect(tries).toBe(2)
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
})
