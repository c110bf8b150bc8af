import { TooLarge } from '#platform/refusals.ts'
import { type Commit, parseCommit } from './commit.ts'
import { RepositoryCorrupt } from './errors.ts'
import type { ObjectInfo, ObjectType, ReadObject } from './processes/object-reader.ts'
import { readMessages } from './messages.ts'
import { type StreamedOutput, streamOutput } from './processes/stream-output.ts'
import type { Repository } from './repository.ts'
import { parseTag, type Tag } from './tag.ts'

export type { ObjectInfo, ObjectType, ReadObject } from './processes/object-reader.ts'

/** The largest object that is read into memory. */
const MAX_OBJECT_BYTES = 32 * 1024 * 1024

/** An object is too large to be read into memory. Stream it, or refuse. */
export class ObjectTooLarge extends TooLarge {
  constructor({ size }: ObjectInfo) {
    super(`the object has ${size} bytes`)
  }
}

/** The type and size of an object. Undefined when the repository does not have it. */
export function objectInfo(repository: Repository, id: string): Promise<ObjectInfo | undefined> {
  return repository.git.readers.of(repository).info(id)
}

/**
 * Reads an object whole.
 * @returns undefined when the repository does not have it.
 * @throws {ObjectTooLarge} beyond `maxBytes`, by default 32 MiB.
 */
export async function readObject(
  repository: Repository,
  id: string,
  maxBytes = MAX_OBJECT_BYTES,
): Promise<ReadObject | undefined> {
  const reader = repository.git.readers.of(repository)
  const info = await reader.info(id)
  if (info === undefined) return undefined
  if (info.size > maxBytes) throw new ObjectTooLarge(info)
  return reader.contents(info.id)
}

/** Streams a blob of any size, in a process of its own. The signal ends it. */
export async function streamBlob(
  repository: Repository,
  id: string,
  signal?: AbortSignal,
): Promise<StreamedOutput> {
  const process = await repository.git.start(repository, ['cat-file', 'blob', id], {
    lane: 'transfer',
    ...(signal && { signal }),
  })
  process.stdin.end()
  return streamOutput(process)
}

/** Reads a commit by its id. Undefined when there is none. */
export async function readCommit(repository: Repository, id: string): Promise<Commit | undefined> {
  const [commit] = await readCommits(repository, [id])
  return commit
}

/**
 * Reads commits by their ids, in the same order. Those that are missing are left out. Of long messages it reads the
 * beginning: see {@link readMessages}. Whoever shows a commit several times names it as often.
 * @throws {MessagesTooLarge}
 */
export async function readCommits(repository: Repository, ids: readonly string[]): Promise<Commit[]> {
  const read = await readMessages(repository, ids, 'commit')
  return read.flatMap((one) => (one === undefined ? [] : [parseCommit(one.id, one.content, one)]))
}

/** Reads annotated tags by their ids; undefined for light ones, which have no object of their own. @throws {MessagesTooLarge} */
export async function readTags(repository: Repository, ids: readonly string[]): Promise<(Tag | undefined)[]> {
  const read = await readMessages(repository, ids, 'tag')
  return read.map((one) => one && parseTag(one.id, one.content, one))
}

/** The same for an object that must be there. @throws {RepositoryCorrupt} when it is not */
export async function readExisting(repository: Repository, id: string, type: ObjectType): Promise<Buffer> {
  const found = await readObject(repository, id)
  if (found?.type === type) return found.content
  throw new RepositoryCorrupt(new Error(`${repository.folder} has no ${type} ${id}`))
}
