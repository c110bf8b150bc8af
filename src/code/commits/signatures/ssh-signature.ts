import { hash, type KeyObject, verify } from 'node:crypto'
import { fieldsOfBlob, sha256Of, type VerifyingKey, verifyingKeyOf } from '#identity/keys/public-key.ts'

/** OpenSSH's PROTOCOL.sshsig: what every signature begins with, and its version. */
const MAGIC = Buffer.from('SSHSIG')
const VERSION = 1
/** What git says its signatures are for, so that a signature of a mail or file is none of a commit. */
const NAMESPACE = 'git'
const hashes: ReadonlySet<string> = new Set(['sha256', 'sha512'])

/** A signature that SSH's keys make. */
export interface SshSignature {
  /** Of the key that it names. */
  readonly fingerprint: string
  /** Whether that key has signed this. */
  readonly isValid: boolean
}

/** Reads a signature of a commit or tag, and verifies it. Undefined for what is none. */
export function readSshSignature(bytes: Buffer, signed: Buffer): SshSignature | undefined {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes.length < MAGIC.length + 4) return undefined
  if (bytes.readUInt32BE(MAGIC.length) !== VERSION) return undefined
  const fields = fieldsOfBlob(bytes.subarray(MAGIC.length + 4))
  const [publicKey, namespace, reserved, algorithm, signature] = fields ?? []
  if (fields?.length !== 5 || !publicKey || !namespace || !reserved || !algorithm || !signature)
    return undefined
  const fingerprint = sha256Of(publicKey)
  const name = algorithm.toString('latin1')
  const key = verifyingKeyOf(publicKey)
  if (key === undefined || namespace.toString('latin1') !== NAMESPACE || !hashes.has(name)) {
    return { fingerprint, isValid: false }
  }
  const digest = hash(name, signed, 'buffer')
  const message = Buffer.concat([MAGIC, ...[namespace, reserved, algorithm, digest].map(field)])
  return { fingerprint, isValid: hasSigned(key, message, signature) }
}

function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** How a key signs: the name of the format, and how to verify it. */
interface Format {
  readonly name: string
  readonly verify: (message: Buffer, key: KeyObject, signature: Buffer) => boolean
}

const rsa = (bits: 256 | 512): Format => ({
  name: `rsa-sha2-${bits}`,
  verify: (message, key, signature) => verify(`sha${bits}`, message, key, signature),
})

const ed25519 = (name: string): Format => ({
  name,
  verify: (message, key, signature) => verify(null, message, key, signature),
})

/** RFC 5656, section 3.1.2: two numbers, each without zeros in front. */
const ecdsa = (name: string, bits: 256 | 384 | 512, size: number): Format => ({
  name,
  verify(message, key, signature) {
    const numbers = (fieldsOfBlob(signature) ?? []).map((number) => padded(number, size))
    const [r, s] = numbers
    if (numbers.length !== 2 || r === undefined || s === undefined) return false
    return verify(`sha${bits}`, message, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat([r, s]))
  },
})

function padded(number: Buffer, size: number): Buffer | undefined {
  const digits = number[0] === 0 ? number.subarray(1) : number
  return digits.length > size ? undefined : Buffer.concat([Buffer.alloc(size - digits.length), digits])
}

/** The formats of each type of keys. Those with SHA-1 are left out. */
const formats = new Map<string, readonly Format[]>([
  ['ssh-ed25519', [ed25519('ssh-ed25519')]],
  ['ssh-rsa', [rsa(256), rsa(512)]],
  ['ecdsa-sha2-nistp256', [ecdsa('ecdsa-sha2-nistp256', 256, 32)]],
  ['ecdsa-sha2-nistp384', [ecdsa('ecdsa-sha2-nistp384', 384, 48)]],
  ['ecdsa-sha2-nistp521', [ecdsa('ecdsa-sha2-nistp521', 512, 66)]],
  ['sk-ssh-ed25519@openssh.com', [ed25519('sk-ssh-ed25519@openssh.com')]],
  ['sk-ecdsa-sha2-nistp256@openssh.com', [ecdsa('sk-ecdsa-sha2-nistp256@openssh.com', 256, 32)]],
])

/** The bytes after the signature of a security key: flags, and how often it has signed. */
const TAIL = 5
/** The flag that says that somebody touched it. */
const TOUCHED = 1

function hasSigned({ type, key, application }: VerifyingKey, message: Buffer, signature: Buffer): boolean {
  const isTailed = application !== undefined
  if (isTailed && signature.length < TAIL) return false
  const end = isTailed ? signature.length - TAIL : signature.length
  const [name, blob, ...more] = fieldsOfBlob(signature.subarray(0, end)) ?? []
  const format = formats.get(type)?.find((one) => one.name === name?.toString('latin1'))
  if (format === undefined || blob === undefined || more.length > 0) return false
  try {
    return format.verify(isTailed ? bySecurityKey(application, signature, message) : message, key, blob)
  } catch {
    return false
  }
}

/** What a security key signs (OpenSSH's PROTOCOL.u2f). Without a touch it counts for nothing. */
function bySecurityKey(application: Buffer, signature: Buffer, message: Buffer): Buffer {
  const tail = signature.subarray(-TAIL)
  if (((tail[0] ?? 0) & TOUCHED) === 0) throw new Error('nobody touched the key')
  return Buffer.concat([hash('sha256', application, 'buffer'), tail, hash('sha256', message, 'buffer')])
}
