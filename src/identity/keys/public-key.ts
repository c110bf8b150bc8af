import { createPublicKey, hash, type KeyObject, type webcrypto } from 'node:crypto'
import { invalid } from '#platform/refusals.ts'

/** An SSH public key, as a line of `authorized_keys` has it. */
export interface PublicKey {
  /** The type and the key in base64: `ssh-ed25519 AAAA…`. */
  readonly text: string
  /** What follows them, often a name and a mail address; may be empty. */
  readonly comment: string
  /** MD5 of the key, as older programs show it: `6f:1a:…`. */
  readonly fingerprint: string
  /** SHA-256 of the key: `SHA256:…`. */
  readonly fingerprint_sha256: string
}

/** Shorter RSA keys can be broken. */
const LEAST_RSA_BITS = 2_048

type JsonWebKey = webcrypto.JsonWebKey

/** A type of keys: how many fields follow its name, and how Node.js knows such a key. */
interface KeyType {
  readonly fields: number
  readonly jwk: (fields: readonly Buffer[]) => JsonWebKey | undefined
}

const base64url = (bytes: Buffer | undefined) => bytes?.toString('base64url') ?? ''

/** RFC 4253, section 6.6. */
const rsa: KeyType = {
  fields: 2,
  jwk: ([e, n]) =>
    isPositive(e) && isPositive(n) ? { kty: 'RSA', e: base64url(e), n: base64url(n) } : undefined,
}

/** RFC 8709, section 4. Keys of security keys name their application, too (OpenSSH's PROTOCOL.u2f). */
const ed25519 = (fields: number): KeyType => ({
  fields,
  jwk: ([x]) => ({ kty: 'OKP', crv: 'Ed25519', x: base64url(x) }),
})

/** RFC 5656, section 3.1. The point is not compressed: 4, then its two coordinates. */
const ecdsa = (curve: string, crv: string, size: number, fields = 2): KeyType => ({
  fields,
  jwk: ([name, point]) =>
    name?.toString('latin1') === curve && point?.[0] === 4 && point.length === 1 + 2 * size
      ? {
          kty: 'EC',
          crv,
          x: base64url(point.subarray(1, 1 + size)),
          y: base64url(point.subarray(1 + size)),
        }
      : undefined,
})

const types = new Map<string, KeyType>([
  ['ssh-ed25519', ed25519(1)],
  ['ssh-rsa', rsa],
  ['ecdsa-sha2-nistp256', ecdsa('nistp256', 'P-256', 32)],
  ['ecdsa-sha2-nistp384', ecdsa('nistp384', 'P-384', 48)],
  ['ecdsa-sha2-nistp521', ecdsa('nistp521', 'P-521', 66)],
  ['sk-ssh-ed25519@openssh.com', ed25519(2)],
  ['sk-ecdsa-sha2-nistp256@openssh.com', ecdsa('nistp256', 'P-256', 32, 3)],
])

const invalidKey = (because: string) => invalid({ key: [because] })

/**
 * Reads an SSH public key.
 * @throws 400 when it is none, when it is of a type that is no longer safe, and for short RSA keys.
 */
export function readPublicKey(line: string): PublicKey {
  const [, type = '', base64 = '', comment = ''] =
    /^(\S+)[ \t]+([A-Za-z0-9+/]+=*)(?:[ \t]+([^\r\n]*))?$/.exec(line.trim()) ?? []
  if (type === 'ssh-dss')
    throw invalidKey('type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK')
  const blob = Buffer.from(base64, 'base64')
  if (blob.toString('base64') !== base64) throw invalidKey('is invalid')
  assertKey(type, fieldsOfBlob(blob) ?? [])
  return {
    text: `${type} ${base64}`,
    comment: comment.trim(),
    fingerprint: hash('md5', blob, 'hex').replace(/(..)(?!$)/g, '$1:'),
    fingerprint_sha256: sha256Of(blob),
  }
}

/** SHA-256 of a key, as people compare them. */
export const sha256Of = (blob: Buffer): string =>
  `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`

/** A key with which signatures can be verified. */
export interface VerifyingKey {
  readonly type: string
  readonly key: KeyObject
  /** What the key of a security key is for; undefined for other keys. */
  readonly application: Buffer | undefined
}

/** Reads the bytes of a key. Undefined for what is none, or one that is not safe. */
export function verifyingKeyOf(blob: Buffer): VerifyingKey | undefined {
  const [name, ...fields] = fieldsOfBlob(blob) ?? []
  const type = name?.toString('latin1') ?? ''
  const known = types.get(type)
  const jwk = fields.length === known?.fields ? known.jwk(fields) : undefined
  const bits = bitsOf(jwk)
  if (jwk === undefined || bits === undefined || (type === 'ssh-rsa' && bits < LEAST_RSA_BITS))
    return undefined
  const application = type.startsWith('sk-') ? fields.at(-1) : undefined
  return { type, key: createPublicKey({ key: jwk, format: 'jwk' }), application }
}

/** Each field follows its length in four bytes (RFC 4251, section 5). Undefined when they do not add up. */
export function fieldsOfBlob(blob: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = []
  for (let at = 0; at < blob.length;) {
    if (at + 4 > blob.length) return undefined
    const end = at + 4 + blob.readUInt32BE(at)
    if (end > blob.length) return undefined
    fields.push(blob.subarray(at + 4, end))
    at = end
  }
  return fields
}

function assertKey(type: string, [name, ...fields]: readonly Buffer[]): void {
  const known = types.get(type)
  const named = name?.toString('latin1') === type && fields.length === known?.fields
  const bits = named ? bitsOf(known.jwk(fields)) : undefined
  if (bits === undefined) throw invalidKey('is invalid')
  if (type === 'ssh-rsa' && bits < LEAST_RSA_BITS) throw invalidKey(`must be at least ${LEAST_RSA_BITS} bits`)
}

/** The length of an RSA key, 0 for others; undefined when there is no such key, such as a point beside its curve. */
function bitsOf(key: JsonWebKey | undefined): number | undefined {
  if (key === undefined) return undefined
  try {
    return createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails?.modulusLength ?? 0
  } catch {
    return undefined
  }
}

/** A number above 0 has no sign bit and no needless zeros in front, so that one key has one fingerprint. */
function isPositive(number: Buffer | undefined): boolean {
  const [first, second = 0] = number ?? []
  if (first === undefined || first > 127) return false
  return first > 0 || second > 127
}
