import type { Quarantine } from './quarantine.ts'
import { listReferences } from './references.ts'
import { BRANCHES } from './names.ts'
import type { Repository } from './repository.ts'

/** Branches of the target whose objects are not sent again. */
const MAX_KNOWN_BRANCHES = 100

export interface CopyOptions {
  /** What the pack may have at most; 0 for no limit. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal
}

/**
 * Copies commits and tags with all that they need, but for what the target has on its branches. They are checked as
 * those of a push.
 */
export async function copyObjects(
  source: Repository,
  target: Repository,
  ids: readonly string[],
  into: Quarantine,
  { maxBytes = 0, signal }: CopyOptions = {},
): Promise<void> {
  const known = (await listReferences(target, BRANCHES, '-committerdate')).slice(0, MAX_KNOWN_BRANCHES)
  const revisions = [...ids, ...known.map(({ id }) => `^${id}`)]
  const process = await source.git.start(
    { folder: source.folder, borrows: target.folder },
    ['pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset'],
    { lane: 'transfer', ...(signal && { signal }) },
  )
  process.stdin.end(revisions.map((revision) => `${revision}\n`).join(''))
  // A pack that ends early is damaged, and is refused as such.
  process.ended.catch((error: unknown) =>
    process.stdout.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  await into.receive(process.stdout, maxBytes, signal)
}
