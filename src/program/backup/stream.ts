import { createReadStream, readFileSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Writable } from 'node:stream'
import { messageOf } from '#platform/db/embedded/errors.ts'
import { syncFolder } from '#code/git/sync-folder.ts'
import { type CommandOptions, Refused, type Terminal, UsageError } from '#program/cli/command.ts'
import { decrypted, encrypted } from './encryption.ts'
import { partsOf, type ReadPart } from './read-archive.ts'
import { archiveOf, type Part } from './write-archive.ts'

/** Characters of a passphrase. */
const SHORTEST = 8

/** The passphrase in the file that the command line names. */
export function passphraseOf(given: CommandOptions): string | undefined {
  const path = given.maybe('passphrase-file')
  if (path === undefined) return undefined
  const passphrase = readSecret(path).replace(/\r?\n$/, '')
  if (passphrase.length < SHORTEST)
    throw new UsageError(`the passphrase should have ${SHORTEST} characters or more`)
  return passphrase
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Refused(`the file with the passphrase cannot be read: ${messageOf(error)}`)
  }
}

/** Compressed a little: packs and pictures are already. */
const compressed = (parts: AsyncIterable<Part>): AsyncIterable<Buffer> => {
  const gzip = createGzip({ level: 3 })
  // Whoever reads hears of the error.
  pipeline(Readable.from(archiveOf(parts), { objectMode: false }), gzip).catch(() => {})
  return gzip
}

/** All bytes of a backup. */
export function bytesOf(parts: AsyncIterable<Part>, passphrase: string | undefined): AsyncIterable<Buffer> {
  return passphrase === undefined ? compressed(parts) : encrypted(compressed(parts), passphrase)
}

/**
 * Writes a backup into a file, which gets its name when it is whole. What an earlier run left is replaced.
 * @throws {Refused} when the file is there already.
 */
export async function writeFile(path: string, bytes: AsyncIterable<Buffer>): Promise<void> {
  const draft = `${path}.part`
  await mkdir(dirname(path), { recursive: true })
  const there = await open(path).catch(() => undefined)
  await there?.close()
  if (there !== undefined) throw new Refused(`${path} exists already; choose another name`)
  const file = await open(draft, 'w', 0o600)
  try {
    for await (const piece of bytes)
      for (let at = 0; at < piece.length;) at += (await file.write(piece, at)).bytesWritten
    await file.sync()
    await file.close()
    await rename(draft, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await file.close().catch(() => {})
    await rm(draft, { force: true })
    throw error
  }
}

/** Writes a backup to standard output. */
export async function writeOut(output: Writable, bytes: AsyncIterable<Buffer>): Promise<void> {
  let failure: Error | undefined
  const fail = (error: Error) => void (failure = error)
  output.on('error', fail)
  for await (const piece of bytes) {
    if (failure !== undefined) throw new Refused(`standard output was closed: ${failure.message}`)
    if (!output.write(piece)) await Promise.race([once(output, 'drain'), once(output, 'close')])
  }
  await new Promise<void>((resolve, reject) => {
    output.write('', (error) => (error ? reject(error) : resolve()))
  })
}

/** The streams of a backup in a file, or on standard input. */
export function readBackup(
  path: string,
  terminal: Terminal,
  passphrase: string | undefined,
): AsyncGenerator<ReadPart> {
  async function* input(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of path === '-' ? terminal.input : createReadStream(path)) {
        yield typeof piece === 'string' ? Buffer.from(piece) : piece
      }
    } catch (error) {
      throw new Refused(`the backup cannot be read: ${messageOf(error)}`)
    }
  }
  const gunzip = createGunzip()
  const plain = decrypted(input(), passphrase)
  pipeline(Readable.from(plain, { objectMode: false }), gunzip).catch(() => {})
  return partsOf(gunzip)
}
