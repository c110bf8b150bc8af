import { describe, expect, test } from 'vitest'
import { cpuTime } from '#test/quick.ts'
import { readChallenges } from './challenges.ts'

const bearer = (more: object = {}) => ({
  scheme: 'bearer',
  realm: 'https://auth.example/token',
  service: undefined,
  error: undefined,
  ...more,
})
const basic = { scheme: 'basic' }

describe('challenges of a registry', () => {
  test.each<[what: string, header: string | undefined, challenges: object[]]>([
    ['none', undefined, []],
    ['an empty list', ' , ,', []],
    ['a password', 'Basic realm="x"', [basic]],
    ['a password without a realm', 'basic', [basic]],
    ['a token', 'Bearer realm="https://auth.example/token"', [bearer()]],
    [
      'a token with all that belongs to it, and commas inside of it',
      'Bearer realm="https://auth.example/token",service="a, \\"b\\"",scope="repository:a:pull,push",error="insufficient_scope"',
      [bearer({ service: 'a, "b"', error: 'insufficient_scope' })],
    ],
    [
      'both, the token first',
      'Bearer realm="https://auth.example/token",service="s",scope="*", Basic realm="x"',
      [bearer({ service: 's' }), basic],
    ],
    [
      'both, the password first',
      'BASIC realm="Sonatype, Nexus", BEARER realm="https://auth.example/token",service=s',
      [bearer({ service: 's' }), basic],
    ],
    [
      'both without commas in their parameters',
      'Basic, Bearer realm = "https://auth.example/token"',
      [bearer(), basic],
    ],
    [
      'others, which are passed over',
      'Negotiate, NTLM abc123==, Digest realm="a", nonce="b", Basic',
      [basic],
    ],
    ['a parameter named as a scheme', 'Digest basic="1", bearer=2, Basic realm="x"', [basic]],
    ['a scheme inside of quotes', 'Digest realm="Basic, Bearer realm=x"', []],
    ['a token from nowhere', 'Bearer service="x", Basic', [basic]],
    ['a token from what is no URL', 'Bearer realm="nowhere"', []],
    ['an open quote, and what came before', 'Basic, Bearer realm="https://auth.example/token', [basic]],
    ['two passwords', 'Basic realm="a", Basic realm="b"', [basic]],
  ])('are read: %s', (_, header, challenges) => {
    expect(readChallenges(header)).toEqual(challenges)
  })

  test('are read in little time, whatever a registry sends', async () => {
    for (const piece of ['Basic ', 'a=', '"\\', ',', 'a a=" ', 'Bearer realm="', '=']) {
      expect(await cpuTime(() => readChallenges(piece.repeat(20_000)))).toBeLessThan(200)
    }
  })
})
