import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { GitFailed, meaningOfDiskError, RepositoryCorrupt, StorageFull } from './errors.ts'
import { MessageTooLarge, TOO_LARGE } from './messages.ts'
import type { PackWriter } from './pack-writer.ts'
import type { Repository } from './repository.ts'
import { roomIn } from './room.ts'
import { syncFolder } from './sync-folder.ts'

/** Git's own name for such folders, so that its housekeeping removes those that a crash leaves. */
export const QUARANTINE = 'tmp_objdir-incoming-'

/** What `index-pack` says of the pack that it reads. */
const OF_PACK = /inflate|pack has bad object/

/** Blobs of 120 to 699 bytes: pointers of Git LFS are as large. */
const SMALL = /^blob (?:1[2-9]|[2-6]\d)\d ([0-9a-f]+)$/gm
const MOST_SMALL = 100_000

/** New objects of a repository that are not yet part of it. */
export class Quarantine implements AsyncDisposable {
  /** The folder of the objects. */
  readonly objects: string
  readonly #repository: Repository

  private constructor(repository: Repository, objects: string) {
    this.#repository = repository
    this.objects = objects
  }

  static async open(repository: Repository): Promise<Quarantine> {
    try {
      const objects = await mkdtemp(join(repository.folder, 'objects', QUARANTINE))
      await mkdir(join(objects, 'pack'))
      return new Quarantine(repository, objects)
    } catch (error) {
      throw meaningOfDiskError(error)
    }
  }

  /** The repository as it would be with the new objects. */
  get repository(): Repository {
    return { ...this.#repository, quarantine: this.objects }
  }

  /**
   * Receives a pack and checks its objects.
   * @param maxBytes 0 for no limit but the room on the disk.
   * @throws GitFailed when the pack is damaged, too large, or holds what git refuses; StorageFull when there is no room for it.
   */
  async receive(
    pack: Readable | AsyncIterable<Buffer>,
    maxBytes: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const room = await roomIn(this.objects)
    const limit = maxBytes > 0 ? Math.min(maxBytes, room) : room
    const args = ['index-pack', '--stdin', '--fix-thin', `--strict=${TOLERATED}`, `--max-input-size=${limit}`]
    try {
      await this.#repository.git.capture(this.repository, args, {
        lane: 'transfer',
        input: pack,
        time: TRANSFER,
        ...(signal && { signal }),
      })
    } catch (error) {
      // The pack is damaged then, and no object of the repository.
      const isOfPack = error instanceof RepositoryCorrupt && OF_PACK.test(String(error.cause))
      const failure = isOfPack ? error.cause : error
      const isTooLarge = failure instanceof GitFailed && /maximum allowed size/.test(failure.stderr)
      throw isTooLarge && limit !== maxBytes ? new StorageFull(failure) : failure
    }
  }

  /**
   * Looks at what was received: who writes megabytes into the message of a commit wants everybody who lists it to pay.
   * @returns the ids of small blobs, of which some may stand for files that are elsewhere; 100,000 of them at most
   * @throws {MessageTooLarge} for a commit or annotated tag that is larger than this server takes.
   */
  async inspect(signal?: AbortSignal): Promise<readonly string[]> {
    const args = [
      'cat-file',
      '--batch-all-objects',
      '--unordered',
      '--batch-check=%(objecttype) %(objectsize) %(objectname)',
    ]
    // Without the objects of the repository: every pack is complete by itself.
    const process = await this.#repository.git.start(this.#repository, args, {
      lane: 'transfer',
      environment: { GIT_OBJECT_DIRECTORY: this.objects },
      ...(signal && { signal }),
    })
    process.stdin.end()
    const small: string[] = []
    let rest = ''
    for await (const piece of process.output()) {
      const text: string = rest + piece.toString('latin1')
      const [, type, size] = TOO_LARGE.exec(text) ?? []
      if (type !== undefined) throw new MessageTooLarge(type, Number(size))
      const whole = text.lastIndexOf('\n') + 1
      for (const [, id = ''] of text.slice(0, whole).matchAll(SMALL))
        if (small.length < MOST_SMALL) small.push(id)
      rest = text.slice(whole)
    }
    return small
  }

  /** Receives objects that this program has made. A merge brings a commit or two, for which no process starts. */
  async add(pack: PackWriter): Promise<void> {
    const commits = pack.fewCommits()
    if (commits === undefined) return this.receive(pack.bytes(), 0)
    await roomIn(this.objects)
    try {
      for (const { id, bytes } of commits) await this.#write(id, bytes)
    } catch (error) {
      throw meaningOfDiskError(error)
    }
  }

  /** Writes an object into a file of its own, as git does. Nobody but this program looks for it here until all is written. */
  async #write(id: string, bytes: Buffer): Promise<void> {
    const folder = join(this.objects, id.slice(0, 2))
    await mkdir(folder, { recursive: true })
    const path = join(folder, id.slice(2))
    await writeFile(path, bytes, { mode: 0o444, flag: 'wx', flush: true }).catch((error: unknown) => {
      // It is there already.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    })
  }

  /** Makes the objects part of the repository. A pack counts once its index is there, so that comes last. */
  async keep(): Promise<void> {
    try {
      for (const folder of await readdir(this.objects)) {
        if (!/^(?:pack|[0-9a-f]{2})$/.test(folder)) continue
        const from = join(this.objects, folder)
        const to = join(this.#repository.folder, 'objects', folder)
        const names = (await readdir(from)).filter(
          (name) => !name.startsWith('tmp_') && !name.endsWith('.keep'),
        )
        if (names.length === 0) continue
        const isNew = (await mkdir(to, { recursive: true })) !== undefined
        for (const name of names.toSorted((a, b) => rank(a) - rank(b)))
          await rename(join(from, name), join(to, name))
        await syncFolder(to)
        if (isNew) await syncFolder(join(this.#repository.folder, 'objects'))
      }
    } catch (error) {
      throw meaningOfDiskError(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#repository.git.readers.forget(this.repository)
    await rm(this.objects, { recursive: true, force: true })
  }
}

/** How many are looked at one by one to tell which of them something is missing from. */
const ONE_BY_ONE = 20

/** The ids among these that refer, directly or not, to an object that a repository does not have. */
export async function missingFrom(
  repository: Repository,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0 || (await isConnected(repository, ids, signal))) return new Set()
  if (ids.length === 1 || ids.length > ONE_BY_ONE) return new Set(ids)
  const missing = new Set<string>()
  for (const id of ids) if (!(await isConnected(repository, [id], signal))) missing.add(id)
  return missing
}

async function isConnected(
  repository: Repository,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<boolean> {
  const args = ['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet']
  try {
    await repository.git.capture(repository, args, {
      lane: 'transfer',
      input: ids.map((id) => `${id}\n`).join(''),
      time: TRANSFER,
      ...(signal && { signal }),
    })
    return true
  } catch (error) {
    if (error instanceof GitFailed || error instanceof RepositoryCorrupt) return false
    throw error
  }
}

const rank = (name: string): number => ['.pack', '.rev', '.idx'].findIndex((end) => name.endsWith(end))

/** Milliseconds that git may take for one pack. A sender that stops ends the process earlier. */
const TRANSFER = 6 * 3_600_000

/** Faults that old programs have left in many repositories, and that hurt nobody. */
const TOLERATED = ['missingSpaceBeforeDate', 'badTimezone', 'zeroPaddedFilemode', 'badDateOverflow']
  .map((fault) => `${fault}=ignore`)
  .join(',')
