import type { Repository } from '#code/git/repository.ts'

/** The file that a repository has instead of the bytes of an object. */
export interface Pointer {
  readonly oid: string
  readonly size: number
}

/** Bytes that a pointer has at least and, with a few extensions, at most. */
export const POINTER_SIZES = { min: 120, max: 699 } as const

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-\d-[^\n]{1,200}\n){0,9}oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n?$/

/** Reads a pointer, as its specification writes it; undefined for other files. */
export function readPointer(content: Buffer): Pointer | undefined {
  if (content.length < POINTER_SIZES.min || content.length > POINTER_SIZES.max) return undefined
  const [, oid, size] = POINTER.exec(content.toString('latin1')) ?? []
  return oid === undefined ? undefined : { oid, size: Number(size) }
}

/**
 * The pointers among blobs of a repository. One process, whatever the number.
 * @param ids of blobs that are about as large as pointers
 */
export async function pointersAmong(
  repository: Repository,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Pointer[]> {
  if (ids.length === 0) return []
  const process = await repository.git.start(repository, ['cat-file', '--batch', '--buffer'], {
    lane: 'transfer',
    signal,
  })
  process.stdin.end(ids.map((id) => `${id}\n`).join(''))
  const found: Pointer[] = []
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of process.output()) {
    rest = Buffer.concat([rest, piece])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const size = Number(/ blob (\d+)$/.exec(rest.toString('latin1', 0, end))?.[1] ?? NaN)
      if (Number.isNaN(size)) {
        rest = rest.subarray(end + 1)
        continue
      }
      const after = end + 1 + size + 1
      if (rest.length < after) break
      const pointer = readPointer(rest.subarray(end + 1, end + 1 + size))
      if (pointer !== undefined) found.push(pointer)
      rest = rest.subarray(after)
    }
  }
  return found
}
