import { createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { ArchiveRefused } from './errors.ts'
import { BUNDLE, contentIn, type ContentName, LFS_OBJECTS, PROJECT, UPLOADS } from './names.ts'
import { measured } from '#platform/files/measured.ts'
import type { ArchivePart } from './part.ts'
import { allParts } from './parts/all.ts'
import { type ProjectFile, readProjectFile } from './project-file.ts'

const MEGABYTE = 1024 * 1024
const GIGABYTE = 1024 * MEGABYTE

/** Bytes that the files of an archive may have, unpacked. */
const mostBytes = (): ReadonlyMap<string, number> =>
  new Map([
    [PROJECT, 2 * MEGABYTE],
    // It is compressed as it is, so the size of the archive bounds it.
    [BUNDLE, Infinity],
    ...allParts().map(({ name }) => [`${name}.ndjson`, 512 * MEGABYTE] as const),
  ])
/** Entries of an archive, including unknown ones, and how many more may be objects of Git LFS and uploads. */
const ENTRIES = 100
const MOST_OBJECTS = 200_000
/** Bytes by which the unpacked files may exceed the size of the archive. */
const GROWTH = GIGABYTE
/** How many times larger the unpacked files may be than the archive. Text unpacks to ten times its size, zeros to a thousand times. */
const RATIO = 100
/** Bytes that the unpacked files may always have, however small the archive is. */
const SMALL = 16 * MEGABYTE
/** Bytes between the files of an archive. All else waits while the library reads a header, however long it is. */
const HEADERS = MEGABYTE
/** Bytes around each of those: its header, and what fills its last block. */
const AROUND = 1_024

interface Entry {
  readonly name: string
  /** Undefined for an entry that is no part of the format. */
  readonly content: Readable | undefined
}

/** Bytes that the files of an archive may have in all. */
const unpackedLimit = (size: number): number => Math.max(SMALL, Math.min(size + GROWTH, size * RATIO))

/** The entries of an archive. Their names never become paths: they are only compared with known names. @param most bytes of all entries */
async function* entriesOf(archive: Readable, most: number): AsyncGenerator<Entry> {
  const { createTarDecoder } = await import('modern-tar')
  const bytes = archive.pipe(createGunzip())
  archive.once('error', (error) => bytes.destroy(error))
  const allowed = { bytes: HEADERS }
  const limited = bytes.pipe(limitedTo(allowed, 'The archive'))
  bytes.once('error', (error) => limited.destroy(error))
  let count = 0
  let objects = 0
  const seen = new Set<string>()
  const known = mostBytes()
  try {
    for await (const { header, body } of Readable.toWeb(limited).pipeThrough(
      createTarDecoder({ strict: true }),
    )) {
      const { name, type = 'file', size } = header
      const isObject = type === 'file' && contentIn(name) !== undefined
      if (isObject ? (objects += 1) > MOST_OBJECTS : (count += 1) > ENTRIES)
        throw new ArchiveRefused('The archive has too many files')
      allowed.bytes += isObject ? size + AROUND : size
      if (allowed.bytes > most + HEADERS + objects * AROUND)
        throw new ArchiveRefused(
          `The archive is too large: unpacked, one of its size may have ${Math.floor(most / MEGABYTE)} MB`,
        )
      // The size of the archive bounds its objects.
      const mostOfIt = isObject ? Infinity : known.get(name)
      if (mostOfIt === undefined || type !== 'file') {
        yield { name, content: undefined }
        // Read to its end: a body that is cancelled would keep the next one from ever coming.
        for await (const _ of body);
        continue
      }
      if (seen.has(name)) throw new ArchiveRefused(`The archive has ${name} twice`)
      seen.add(name)
      yield { name, content: Readable.fromWeb(body).compose(limitedTo({ bytes: mostOfIt }, name)) }
    }
  } catch (error) {
    throw error instanceof ArchiveRefused
      ? error
      : new ArchiveRefused('The archive is damaged', { cause: error })
  } finally {
    archive.destroy()
    bytes.destroy()
    limited.destroy()
  }
}

/** @param allowed may grow while bytes go through. */
function limitedTo(allowed: { readonly bytes: number }, what: string): Transform {
  let size = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      size += piece.length
      if (size > allowed.bytes) done(new ArchiveRefused(`${what} is too large`))
      else done(null, piece)
    },
  })
}

/** Reads only the description of the project, which is the first entry. @throws {ArchiveRefused} */
export async function peekProject(archive: Readable): Promise<ProjectFile> {
  for await (const { name, content } of entriesOf(archive, GROWTH)) {
    if (name !== PROJECT || content === undefined) break
    const pieces: Buffer[] = []
    for await (const piece of content) pieces.push(piece)
    return readProjectFile(Buffer.concat(pieces).toString('utf8'))
  }
  throw new ArchiveRefused('The archive is not an export of a project')
}

export interface UnpackOptions {
  readonly folder: string
  /** The bytes of the archive. */
  readonly size: number
  readonly signal: AbortSignal
}

/** An object of Git LFS or an upload of an unpacked archive. */
export interface UnpackedObject extends ContentName {
  readonly size: number
  /** Where its bytes are. */
  readonly path: string
}

/**
 * Writes the files of an archive into a folder, under the names of the format.
 * @returns the objects of Git LFS and the uploads among them, whose bytes are what their names say
 * @throws {ArchiveRefused}
 */
export async function unpackArchive(
  archive: Readable,
  { folder, size, signal }: UnpackOptions,
): Promise<readonly UnpackedObject[]> {
  for (const name of [LFS_OBJECTS, UPLOADS]) await mkdir(join(folder, name))
  const objects: UnpackedObject[] = []
  for await (const { name, content } of entriesOf(archive, unpackedLimit(size))) {
    if (content === undefined) continue
    const path = join(folder, name)
    const said = contentIn(name)
    const bytes = measured(content)
    await pipeline(said === undefined ? content : bytes, createWriteStream(path, { flags: 'wx' }), { signal })
    if (said === undefined) continue
    const { sha256 } = await bytes.digests()
    if (sha256.toString('hex') !== said.sha256)
      throw new ArchiveRefused(`The archive has a file that is not what its name says: ${name}`)
    objects.push({ ...said, size: bytes.size(), path })
  }
  return objects
}

/** The bundle of an unpacked archive; undefined when its repository was empty. */
export async function bundleIn(folder: string): Promise<string | undefined> {
  const path = join(folder, BUNDLE)
  return access(path).then(
    () => path,
    () => undefined,
  )
}

/** Rows that are written in one statement, and their characters. */
const ROWS = 200
const CHARACTERS = 4 * 1024 * 1024
/** Characters of a row. */
const MAX_ROW = 8 * 1024 * 1024

/** The rows of a part of an unpacked archive, some at a time. @throws {ArchiveRefused} */
export async function* rowsOf({ name, most }: ArchivePart, folder: string): AsyncGenerator<unknown[]> {
  const path = join(folder, `${name}.ndjson`)
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (!isThere) return
  let rows: unknown[] = []
  let size = 0
  let count = 0
  for await (const line of linesOf(path, name)) {
    if ((count += 1) > most) throw new ArchiveRefused(`The archive has more than ${most} ${name}`)
    rows.push(parsed(line, name))
    size += line.length
    if (rows.length < ROWS && size < CHARACTERS) continue
    yield rows
    rows = []
    size = 0
  }
  if (rows.length > 0) yield rows
}

async function* linesOf(path: string, name: string): AsyncGenerator<string> {
  let line = ''
  for await (const piece of createReadStream(path, 'utf8')) {
    const [first = '', ...more] = String(piece).split('\n')
    line += first
    if (line.length > MAX_ROW) throw new ArchiveRefused(`The archive has ${name} that are too long`)
    for (const next of more) {
      if (line !== '') yield line
      line = next
    }
  }
  if (line !== '') yield line
}

function parsed(line: string, name: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new ArchiveRefused(`The archive has ${name} that cannot be read`)
  }
}
