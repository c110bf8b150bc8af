import { generateKeyPairSync, type KeyObject } from 'node:crypto'

/** One field of a key in the form of SSH: its length, then its bytes. */
export function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A line of a `.pub` file. */
export const sshKey = (type: string, fields: readonly (string | Buffer)[], comment = ''): string =>
  `${type} ${Buffer.concat([type, ...fields].map(field)).toString('base64')} ${comment}`.trimEnd()

const part = (key: KeyObject, name: 'x' | 'y' | 'n' | 'e') =>
  Buffer.from(key.export({ format: 'jwk' })[name] ?? '', 'base64url')

/** A public key that no test has used yet. */
export const newSshKey = (comment = ''): string =>
  sshKey('ssh-ed25519', [part(generateKeyPairSync('ed25519').publicKey, 'x')], comment)

/** An RSA key of that many bits. A number has a zero in front where its first bit is set. */
export function newRsaKey(bits: number): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  return sshKey('ssh-rsa', [part(publicKey, 'e'), Buffer.concat([Buffer.alloc(1), part(publicKey, 'n')])])
}

/** The fields of an ECDSA key. */
export function newPoint(curve: '256' | '384' | '521'): [string, Buffer] {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: `P-${curve}` })
  return [`nistp${curve}`, Buffer.concat([Buffer.from([4]), part(publicKey, 'x'), part(publicKey, 'y')])]
}
