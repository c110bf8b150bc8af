import { NO_OBJECT } from '#code/git/names.ts'
import { missingFrom, type Quarantine } from '#code/git/quarantine.ts'
import type { Reference } from '#code/git/references.ts'
import { unavailable } from '#platform/refusals.ts'
import { changeReferences } from './change-references.ts'
import { READ_ONLY } from './read-only.ts'
import { COPIED } from './record-changes.ts'
import type { Repositories } from './repositories.ts'
import { refusalOfName } from './rules.ts'
import type { StoredRepository } from './rows.ts'

/**
 * Gives a repository branches and tags of another one, whose objects are in a quarantine. What is there already stays
 * as it is, so that this may happen again after a process has died.
 * @throws when objects are missing, or the repository is read-only
 */
export async function copyReferences(
  repositories: Repositories,
  target: StoredRepository,
  references: readonly Reference[],
  quarantine: Quarantine,
  signal: AbortSignal,
): Promise<void> {
  const changes = references
    .map(({ name: ref, id: after }) => ({ ref, before: NO_OBJECT, after }))
    .filter((change) => refusalOfName(change) === undefined)
  const ids = [...new Set(changes.map(({ after }) => after))]
  const missing = await missingFrom(quarantine.repository, ids, signal)
  if (missing.size > 0) throw new Error(`${target.folder} would lack objects that its references need`)
  const outcomes = await changeReferences(repositories, target, {
    changes,
    by: { author: null, ip: null },
    changer: null,
    cause: COPIED,
    atomic: false,
    quarantine,
  })
  if (outcomes.some(({ refused }) => refused?.code === 'read-only')) throw unavailable(READ_ONLY, 60)
}
