import { createHash, type Hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { codeOf } from '#platform/db/embedded/errors.ts'
import { Refused } from '#program/cli/command.ts'
import { BackupDamaged } from './errors.ts'
import { endsEarly } from './byte-reader.ts'
import { CHECKSUMS, END } from './write-archive.ts'

/** A stream of a backup, which must be read to its end before the next one. */
export interface ReadPart {
  readonly name: string
  readonly content: AsyncGenerator<Buffer>
}

interface Entry {
  readonly name: string
  readonly body: ReadableStream<Uint8Array>
}

/**
 * The streams of an archive, in their order. Checks all checksums: what was read counts once this has ended, not before.
 * @throws {BackupDamaged} when anything is missing, added or altered.
 */
export async function* partsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadPart> {
  const entries = entriesOf(bytes)
  const all = createHash('sha256')
  let list = ''
  let count = 0
  let next = await entries.next()
  while (next.done !== true) {
    const entry: Entry = next.value
    if (entry.name === END) {
      const end = await textOf(entry)
      if (list !== '' || end !== JSON.stringify({ streams: count, sha256: all.digest('hex') }))
        throw altered('its end')
      if ((await entries.next()).done !== true) throw altered('what follows its end')
      return
    }
    if (entry.name.startsWith(`${CHECKSUMS}/`)) {
      const found = await textOf(entry)
      if (found !== list) throw altered(differing(found, list))
      all.update(found)
      list = ''
      next = await entries.next()
      continue
    }
    const name = folderOf(entry.name)
    const hash = createHash('sha256')
    const content = contentOf(entries, { name, first: entry, hash })
    let following: IteratorResult<Entry> | undefined
    const passing = async function* () {
      following = yield* content
    }
    const part = { name, content: passing() }
    yield part
    // What nobody read is checked as well.
    for await (const _ of part.content);
    if (following === undefined) throw new Error('A stream of a backup was not read to its end')
    list += `${hash.digest('hex')}  ${name}\n`
    count += 1
    next = following
  }
  throw endsEarly()
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))

const altered = (what: string): BackupDamaged =>
  new BackupDamaged(`the backup is damaged: ${what} was altered`)

/** The first stream whose checksums differ. */
function differing(found: string, computed: string): string {
  const known = new Set(found.split('\n'))
  const line = computed.split('\n').find((one) => !known.has(one))
  return line === undefined ? 'a list of checksums' : line.slice(66)
}

/** The bytes of the pieces of one stream. @returns the entry after them */
async function* contentOf(
  entries: AsyncGenerator<Entry>,
  { name, first, hash }: { readonly name: string; readonly first: Entry; readonly hash: Hash },
): AsyncGenerator<Buffer, IteratorResult<Entry>> {
  let next: IteratorResult<Entry> = { done: false, value: first }
  for (let number = 1; next.done !== true && folderOf(next.value.name) === name; number += 1) {
    if (next.value.name !== `${name}/${String(number).padStart(8, '0')}`) throw altered(name)
    for await (const piece of piecesOf(next.value)) {
      hash.update(piece)
      yield piece
    }
    next = await entries.next()
  }
  return next
}

/** Bytes of a text among the entries: a list of checksums has five hundred lines. */
const MAX_ENTRY_TEXT = 1024 * 1024

async function textOf(entry: Entry): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of piecesOf(entry)) {
    size += piece.length
    if (size > MAX_ENTRY_TEXT) throw altered(entry.name)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

async function* piecesOf({ body }: Entry): AsyncGenerator<Buffer> {
  const pieces = body[Symbol.asyncIterator]()
  const next = () =>
    pieces.next().catch((error: unknown) => {
      throw meaningOf(error)
    })
  for (let piece = await next(); piece.done !== true; piece = await next()) {
    yield Buffer.from(piece.value.buffer, piece.value.byteOffset, piece.value.byteLength)
  }
}

async function* entriesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<Entry> {
  const { createTarDecoder } = await import('modern-tar')
  const source = Readable.toWeb(Readable.from(bytes, { objectMode: false }))
  try {
    for await (const { header, body } of source.pipeThrough(createTarDecoder({ strict: true }))) {
      if ((header.type ?? 'file') !== 'file') throw altered(header.name)
      yield { name: header.name, body }
    }
  } catch (error) {
    throw meaningOf(error)
  }
}

/** What it means that bytes cannot be read: whatever the libraries find wrong is damage. */
function meaningOf(error: unknown): unknown {
  if (error instanceof Refused) return error
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Refused) return cause
  if (codeOf(cause) === 'Z_BUF_ERROR') return endsEarly()
  return cause instanceof Error && 'syscall' in cause
    ? cause
    : new BackupDamaged('the backup is damaged, or this is no backup', { cause: error })
}
