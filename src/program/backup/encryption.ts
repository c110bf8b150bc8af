import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { Refused } from '#program/cli/command.ts'
import { ByteReader } from './byte-reader.ts'
import { BackupDamaged } from './errors.ts'

// An encrypted backup is this line, the cost of scrypt and the salt, and then chunks: 4 bytes of length, the encrypted
// bytes, and their tag. The nonce of a chunk is its number. The last chunk is marked, so that none can be cut off.

const MAGIC = Buffer.from('forgelet backup, encrypted 1\n')
const SALT = 16
const TAG = 16
const HEAD = MAGIC.length + 1 + SALT
const CHUNK = 64 * 1024

/** The binary logarithm of the work of scrypt: 128 MiB and some 0.4 s for each guess. */
const COST = 17
/** What a stranger's file may ask for. */
const MAX_COST = 20

const deriving = promisify<string, Buffer, number, object, Buffer>(scrypt)

function keyFrom(passphrase: string, salt: Buffer, cost: number): Promise<Buffer> {
  const N = 2 ** cost
  return deriving(passphrase.normalize('NFC'), salt, 32, { N, r: 8, p: 1, maxmem: 256 * N * 8 })
}

function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(number, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** Encrypts a stream with a passphrase: scrypt and AES-256-GCM. */
export async function* encrypted(content: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const head = Buffer.concat([MAGIC, Buffer.of(COST), randomBytes(SALT)])
  const key = await keyFrom(passphrase, head.subarray(-SALT), COST)
  let number = 0
  const sealed = (plain: Buffer, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number++, isLast)).setAAD(head)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(plain.length)
    return Buffer.concat([length, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  }
  yield head
  // Whoever has another passphrase hears of it here.
  yield sealed(Buffer.alloc(0), false)
  let waiting: Buffer[] = []
  let size = 0
  for await (const piece of content) {
    waiting.push(piece)
    size += piece.length
    if (size <= CHUNK) continue
    const all = Buffer.concat(waiting)
    let at = 0
    // What is last is known at the end only, so something always waits.
    for (; all.length - at > CHUNK; at += CHUNK) yield sealed(all.subarray(at, at + CHUNK), false)
    waiting = [all.subarray(at)]
    size = all.length - at
  }
  yield sealed(Buffer.concat(waiting), true)
}

/**
 * The bytes of a backup, whether or not it is encrypted.
 * @throws {Refused} when the passphrase is missing or wrong, or something was altered.
 */
export async function* decrypted(
  content: AsyncIterable<Buffer>,
  passphrase: string | undefined,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(content)
  const begin = await reader.peek(MAGIC.length)
  if (!begin.equals(MAGIC)) {
    yield* reader.rest()
    return
  }
  if (passphrase === undefined)
    throw new Refused('the backup is encrypted: give its passphrase with --passphrase-file')
  const head = await reader.take(HEAD)
  const cost = head[MAGIC.length] ?? 0
  if (cost > MAX_COST) throw new BackupDamaged('the backup is damaged: it asks for too much work')
  const key = await keyFrom(passphrase, head.subarray(-SALT), cost)
  for (let number = 0; ; number += 1) {
    const length = (await reader.take(4)).readUInt32BE()
    if (length > CHUNK) throw new BackupDamaged('the backup is damaged: a part of it was altered')
    const body = await reader.take(length + TAG)
    const isLast = (await reader.peek(1)).length === 0
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, isLast), { authTagLength: TAG })
      .setAAD(head)
      .setAuthTag(body.subarray(length))
    try {
      yield Buffer.concat([decipher.update(body.subarray(0, length)), decipher.final()])
    } catch {
      throw new BackupDamaged(
        number === 0
          ? 'the passphrase is wrong, or the beginning of the backup was altered'
          : 'the backup is damaged: it ends too early, or a part of it was altered',
      )
    }
    if (isLast) return
  }
}
