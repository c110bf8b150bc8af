import { beforeEach, describe, expect, test } from 'vitest'
import { networkOf } from '#platform/http/addresses.ts'
import { person, type Shown, Visitor } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'

beforeEach(() => w.running.services.limits.forget())

let last = 0
/** An address that nobody else uses. */
const newAddress = () => `198.51.${Math.floor((last += 1) / 250)}.${last % 250}`

/** Tries a password from each of some addresses, one after the other. */
async function tryFrom(addresses: readonly string[], login: string, password = 'guess'): Promise<Shown[]> {
  const answers = []
  for (const from of addresses) answers.push(await new Visitor(w.url, { from }).signIn(login, password))
  return answers
}

const times = (count: number, address: () => string) => Array.from({ length: count }, address)
const statuses = (answers: readonly Shown[]) => answers.map(({ status }) => status)

describe('who tries to sign in too often', () => {
  test('is told to wait, on a page, also with the right password', async () => {
    const { username, password } = await person(w)
    const from = newAddress()
    expect(
      new Set(
        statuses(
          await tryFrom(
            times(10, () => from),
            username,
          ),
        ),
      ),
    ).toEqual(new Set([422]))
    const [refused] = await tryFrom([from], username, password)
    expect(refused?.status).toBe(429)
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused?.headers['retry-after'])).toBeLessThanOrEqual(600)
    expect(refused?.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(refused?.text).toContain('Too many attempts')
    expect(refused?.text).toContain('Please try again in 10 minutes.')
  })

  test('is refused before a password is checked or anything is written', async () => {
    const { username } = await person(w)
    const from = newAddress()
    await tryFrom(
      times(10, () => from),
      username,
    )
    const statements = await w.statements(() => tryFrom([from], username))
    expect(statements).toEqual([])
  })

  test('counts one name however its letters are written', async () => {
    const { username } = await person(w)
    const from = newAddress()
    await tryFrom(
      times(5, () => from),
      username,
    )
    await tryFrom(
      times(5, () => from),
      username.toUpperCase(),
    )
    expect(statuses(await tryFrom([from], ` ${username}`))).toEqual([429])
  })

  test('with many names from one address, is held to twenty a minute', async () => {
    const from = newAddress()
    for (let count = 0; count < 20; count += 1) await tryFrom([from], unique('name'))
    expect(statuses(await tryFrom([from], unique('name')))).toEqual([429])
  })

  test('does not keep others at the same account or elsewhere from signing in', async () => {
    const { username, password } = await person(w)
    const from = newAddress()
    await tryFrom(
      times(11, () => from),
      username,
    )
    expect(statuses(await tryFrom([newAddress()], username, password))).toEqual([303])
  })

  test('with many addresses, is held to fifty an hour, and locks nobody out where they signed in before', async () => {
    const { username, email, password } = await person(w)
    const home = newAddress()
    expect(statuses(await tryFrom([home], username, password))).toEqual([303])
    const guesses = await tryFrom(times(49, newAddress), username)
    expect(new Set(statuses(guesses))).toEqual(new Set([422]))
    expect(statuses(await tryFrom([newAddress()], username, password))).toEqual([429])
    expect(statuses(await tryFrom([home], username, password))).toEqual([303])
    expect(statuses(await tryFrom([newAddress()], email, password))).toEqual([303])
    // An address that knows another account is a stranger all the same.
    const other = await person(w)
    const away = newAddress()
    expect(statuses(await tryFrom([away], other.username, other.password))).toEqual([303])
    expect(statuses(await tryFrom([away], username, password))).toEqual([429])
  })

  test('finds no more names out than before', async () => {
    const nobody = unique('nobody')
    const guesses = await tryFrom(times(51, newAddress), nobody)
    expect(statuses(guesses).filter((status) => status === 429)).toHaveLength(1)
  })
})

test('addresses of one IPv6 network count as one, and IPv4 is the same in both notations', () => {
  expect(networkOf('2001:db8:1:2:aaaa::1')).toBe(networkOf('2001:db8:1:2:bbbb::2'))
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'))
  expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(networkOf('192.0.2.1')).not.toBe(networkOf('192.0.2.2'))
})
