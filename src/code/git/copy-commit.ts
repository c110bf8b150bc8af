import type { Quarantine } from './quarantine.ts'
import { listReferences } from './references.ts'
import { BRANCHES } from './names.ts'
import type { Repository } from './repository.ts'

/** Branches of the target whose objects are not sent again. */
const MOST = 100

/** Copies a commit with all that it needs, but for what the target has on its branches. */
export async function copyCommit(
  source: Repository,
  target: Repository,
  commit: string,
  into: Quarantine,
): Promise<void> {
  const known = (await listReferences(target, BRANCHES, '-committerdate')).slice(0, MOST)
  const revisions = [commit, ...known.map(({ id }) => `^${id}`)]
  const process = await source.git.start(
    { folder: source.folder, borrows: target.folder },
    ['pack-objects', '--revs', '--stdout', '-q', '--delta-base-offset'],
    { lane: 'transfer' },
  )
  process.stdin.end(revisions.map((revision) => `${revision}\n`).join(''))
  // A pack that ends early is damaged, and is refused as such.
  process.ended.catch((error: unknown) =>
    process.stdout.destroy(error instanceof Error ? error : new Error(String(error))),
  )
  await into.receive(process.stdout, 0)
}
