import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder } from '#test/program/forgelet.ts'
import { readConfig } from './config.ts'

const pair = () => generateKeyPairSync('ed25519')
const pem = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ format: 'pem', type: 'spki' })
const jwk = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ format: 'jwk' })
const [one, two] = [pair(), pair()]
const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 })
const keysFrom = (text: string) => readConfig({ FORGELET_LICENSE_PUBLIC_KEYS: text }).licensePublicKeys

describe('FORGELET_LICENSE_PUBLIC_KEYS', () => {
  test.each<[string, string]>([
    ['PEM', `\n${pem(one)}\n\n${pem(two)}`],
    ['a list of JWK', JSON.stringify([jwk(one), jwk(two)])],
    ['a JWK set', JSON.stringify({ keys: [jwk(one), jwk(two)] })],
  ])('takes keys as %s', (_, text) => {
    expect(keysFrom(text).map((key) => key.equals(one.publicKey) || key.equals(two.publicKey))).toEqual([
      true,
      true,
    ])
  })

  test('takes one JWK, and may be left out', () => {
    expect(keysFrom(JSON.stringify(jwk(one)))).toHaveLength(1)
    expect(keysFrom('')).toEqual([])
    expect(readConfig({}).licensePublicKeys).toEqual([])
  })

  test('may be in a file', () => {
    const file = join(folder(), 'keys.pem')
    writeFileSync(file, pem(one))
    expect(readConfig({ FORGELET_LICENSE_PUBLIC_KEYS_FILE: file }).licensePublicKeys).toHaveLength(1)
  })

  test.each<[string, string]>([
    ['a private key in PEM', one.privateKey.export({ format: 'pem', type: 'pkcs8' })],
    ['a private key beside a public one', pem(two) + one.privateKey.export({ format: 'pem', type: 'pkcs8' })],
    ['a private key as JWK', JSON.stringify(one.privateKey.export({ format: 'jwk' }))],
    ['a key of another kind', pem(rsa)],
    ['a key of another kind as JWK', JSON.stringify(jwk(rsa))],
    ['an empty set', '{"keys":[]}'],
    ['half a key', pem(one).slice(0, 60)],
    ['JSON that is no key', '["x"]'],
    ['anything else', 'nonsense'],
  ])('refuses %s, and never prints it', (_, text) => {
    expect(() => keysFrom(text)).toThrow(
      'FORGELET_LICENSE_PUBLIC_KEYS: its value is not accepted. Accepted: Ed25519 public keys in PEM or as JWK, one or several.',
    )
  })
})
