import { TooLarge } from '#platform/refusals.ts'
import type { ObjectInfo, ReadObject } from './processes/object-reader.ts'
import type { Repository } from './repository.ts'

/** Bytes of a commit or an annotated tag that this server takes in. A single one is shown whole. */
export const LARGEST_MESSAGE = 1_000_000
/** The same in a list of types and sizes: a number of seven digits. */
export const TOO_LARGE = /(commit|tag) (\d{7,})/
/** Bytes of messages that the answer to one request shows. Each message may be as long as its share. */
const SHOWN = 8 * 1024 * 1024
/** Bytes of each object that are read anyway, for its headers. */
const HEADERS = 16 * 1024
/** Bytes that are kept for one request, headers included. */
const KEPT = 32 * 1024 * 1024
/** Bytes that git unpacks for one request although nobody wants more than their beginning. */
const UNPACKED = 256 * 1024 * 1024

/** Some commits or tags have too much text together: an earlier version, or an import, has let them in. */
export class MessagesTooLarge extends TooLarge {
  constructor() {
    super('the messages of these commits are too large together; ask for fewer')
  }
}

/** Somebody pushes a commit or tag with an absurd message. */
export class MessageTooLarge extends TooLarge {
  constructor(type: string, size: number) {
    const [megabytes, most] = [size, LARGEST_MESSAGE].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`)
    super(`a ${type} has ${megabytes}, and this server takes ${most} at most: shorten its message`)
  }
}

/** A commit or tag as far as it was read. */
export interface ReadMessage extends ReadObject {
  /** Whether there is more of it. */
  readonly isCut: boolean
  /** Bytes of its message that are shown at most. */
  readonly share: number
}

/**
 * Reads commits or tags by their ids, in the same order; undefined for what is missing or of another type. Of those
 * whose messages are longer than their share, it reads the beginning.
 * @param ids an id stands there as often as its message is shown.
 * @throws {MessagesTooLarge} when it takes too much to read even that.
 */
export async function readMessages(
  repository: Repository,
  ids: readonly string[],
  type: 'commit' | 'tag',
): Promise<(ReadMessage | undefined)[]> {
  const reader = repository.git.readers.of(repository)
  const share = Math.min(LARGEST_MESSAGE, Math.floor(SHOWN / Math.max(ids.length, 1)))
  const most = Math.max(share, HEADERS)
  const infos = await Promise.all([...new Set(ids)].map((id) => reader.info(id)))
  const wanted = infos.flatMap((info) => (info?.type === type ? [info] : []))
  assertReadable(wanted, most)
  const read = await Promise.all(wanted.map(({ id }) => reader.contents(id, most)))
  const byId = new Map(read.flatMap((one) => (one === undefined ? [] : [[one.id, one] as const])))
  return ids.map((id) => {
    const one = byId.get(id)
    return one && { ...one, isCut: one.content.length < one.size, share }
  })
}

function assertReadable(infos: readonly ObjectInfo[], most: number): void {
  let kept = 0
  let unpacked = 0
  for (const { size } of infos) {
    kept += Math.min(size, most)
    if (size > most) unpacked += size
    if (kept > KEPT || unpacked > UNPACKED) throw new MessagesTooLarge()
  }
}
