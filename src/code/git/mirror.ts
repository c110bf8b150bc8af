import { createHash } from 'node:crypto'
import { copyFile, open, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { meaningOfDiskError } from './errors.ts'
import { BRANCHES } from './names.ts'
import { isClosedPipe } from './processes/git.ts'
import { listReferences, type Reference } from './references.ts'
import type { Repository } from './repository.ts'
import { syncFolder } from './sync-folder.ts'

// A copy of a whole repository: all references, also hidden ones, `HEAD`, the configuration, and every object that they
// need. Nobody else writes to the copy.

/** Milliseconds that one step of copying may take. */
const TIME = 24 * 3_600_000

export interface MirrorOptions {
  readonly signal: AbortSignal
  /** Passes the bytes of a pack on, at its own pace. Each piece is good until the next is asked for. */
  readonly pace?: (pack: AsyncIterable<Buffer>) => AsyncIterable<Buffer>
}

/** All references, also those that clients do not see. */
export const allReferences = (repository: Repository): Promise<Reference[]> =>
  listReferences(repository, 'refs/')

/** Copies the objects that some references of a repository need, but for those that others in the copy have already. */
export async function copyMissing(
  source: Repository,
  target: Repository,
  { wanted, known }: { readonly wanted: readonly Reference[]; readonly known: readonly Reference[] },
  { signal, pace = (pack) => pack }: MirrorOptions,
): Promise<void> {
  const there = new Set(known.map(({ id }) => id))
  const missing = [...new Set(wanted.map(({ id }) => id))].filter((id) => !there.has(id))
  if (missing.length === 0) return
  const revisions = [...missing, ...[...there].map((id) => `^${id}`)].map((revision) => `${revision}\n`)
  const options = { lane: 'transfer', background: true, signal } as const
  const configuration = { 'pack.threads': '1' }
  const receiving = await target.git.start({ folder: target.folder }, ['index-pack', '--stdin'], {
    ...options,
    configuration,
    time: TIME,
  })
  receiving.stdout.resume()
  try {
    // What the packs of the source have as differences is passed on as it is. Looking for more is for housekeeping.
    const packing = await source.git.start(
      { folder: source.folder },
      ['pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset', '--window=0'],
      { ...options, configuration, oneBuffer: true },
    )
    packing.stdin.end(revisions.join(''))
    for await (const piece of pace(packing.output())) await writeTo(receiving.stdin, piece)
    receiving.stdin.end()
  } catch (error) {
    // A process that ends early tells why by its exit code; a source that fails ends it.
    if (!isClosedPipe(error)) receiving.kill(error)
  }
  await receiving.ended
}

/** Resolves once the bytes are gone, and their buffer may be used again. */
const writeTo = promisify(
  (to: Writable, bytes: Buffer, done: (error?: Error | null) => void) => void to.write(bytes, done),
)

/** Gives a copy these references and no others. It has all at once, in one file. */
export async function replaceReferences(
  { folder }: Pick<Repository, 'folder'>,
  references: readonly Reference[],
): Promise<void> {
  const bytes = ({ name }: Reference) => Buffer.from(name)
  const lines = references
    .toSorted((a, b) => Buffer.compare(bytes(a), bytes(b)))
    .map(({ id, name }) => `${id} ${name}\n`)
  await writeWhole(folder, 'packed-refs', `# pack-refs with: sorted \n${lines.join('')}`)
}

/** Copies `HEAD` and the configuration. */
export async function copySettings(
  source: Pick<Repository, 'folder'>,
  target: Pick<Repository, 'folder'>,
): Promise<void> {
  await writeWhole(target.folder, 'HEAD', await readFile(join(source.folder, 'HEAD'), 'utf8'))
  await copyFile(join(source.folder, 'config'), join(target.folder, 'config'))
}

async function writeWhole(folder: string, name: string, content: string): Promise<void> {
  const temporary = join(folder, `${name}.new`)
  try {
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(content)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, join(folder, name))
    await syncFolder(folder)
  } catch (error) {
    throw meaningOfDiskError(error)
  }
}

/** What two repositories have in common if they are the same to everybody. */
export interface Checksum {
  /** Of all references and `HEAD`. */
  readonly references: string
  /** Of the ids of all objects that the references need, in any order. */
  readonly objects: string
  readonly count: number
}

/** Sums up the references and objects of a repository. */
export async function checksumOf(repository: Repository, signal: AbortSignal): Promise<Checksum> {
  const references = await allReferences(repository)
  const head = await readFile(join(repository.folder, 'HEAD'), 'utf8').catch(() => `ref: ${BRANCHES}`)
  const digest = createHash('sha256').update(head.trim())
  for (const { id, name } of references) digest.update(`\n${id} ${name}`)
  const sum = Buffer.alloc(20)
  let count = 0
  if (references.length > 0) {
    const listing = await repository.git.start(
      { folder: repository.folder },
      ['rev-list', '--objects', '--no-object-names', '--all'],
      { lane: 'transfer', background: true, signal },
    )
    listing.stdin.end()
    let rest = ''
    for await (const piece of listing.output()) {
      const lines = (rest + piece.toString('latin1')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) add(sum, Buffer.from(line, 'hex'))
      count += lines.length
    }
  }
  return { references: digest.digest('hex'), objects: sum.toString('hex'), count }
}

/** Each id is a hash of its object, so that their sum tells one set of objects from another. */
function add(sum: Buffer, id: Buffer): void {
  for (let index = 0, carry = 0; index < sum.length; index += 1) {
    const all = (sum[index] ?? 0) + (id[index] ?? 0) + carry
    sum[index] = all & 255
    carry = all >> 8
  }
}

/** Reads every object of a copy back from the disk. @throws what git finds wrong with one */
export async function verifyObjects(repository: Repository, signal: AbortSignal): Promise<void> {
  const packs = join(repository.folder, 'objects', 'pack')
  const names = (await readdir(packs)).filter((name) => name.endsWith('.idx'))
  for (const name of names) {
    await repository.git.capture({ folder: repository.folder }, ['verify-pack', '--', join(packs, name)], {
      lane: 'transfer',
      background: true,
      configuration: { 'pack.threads': '1' },
      time: TIME,
      signal,
    })
  }
}
