import { createPublicKey, type KeyObject } from 'node:crypto'

const PEM = /-----BEGIN PUBLIC KEY-----[\s\S]+?-----END PUBLIC KEY-----/g

/**
 * Reads Ed25519 public keys from text: one or several in PEM, one JWK, a list of them, or a JWK set.
 * @returns undefined when the text holds anything else.
 */
export function readPublicKeys(text: string): KeyObject[] | undefined {
  try {
    const keys = text.trimStart().startsWith('-----') ? fromPem(text) : fromJson(JSON.parse(text))
    return keys.length > 0 && keys.every(isEd25519) ? keys : undefined
  } catch {
    return undefined
  }
}

function fromPem(text: string): KeyObject[] {
  if (text.replace(PEM, '').trim() !== '') throw new Error('There is more than public keys')
  return [...text.matchAll(PEM)].map(([pem]) => createPublicKey(pem))
}

function fromJson(value: unknown): KeyObject[] {
  if (Array.isArray(value)) return value.flatMap(fromJson)
  if (typeof value !== 'object' || value === null) throw new Error('No JWK')
  if ('keys' in value) return fromJson(value.keys)
  // A configuration that asks for public keys must not hold a private one.
  if ('d' in value) throw new Error('A private key')
  return [createPublicKey({ key: { ...value }, format: 'jwk' })]
}

const isEd25519 = ({ asymmetricKeyType }: KeyObject) => asymmetricKeyType === 'ed25519'
