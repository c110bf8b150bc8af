import { transact } from '#platform/db/transaction.ts'
import { NO_OBJECT } from '#code/git/names.ts'
import { readReferences } from '#code/git/references.ts'
import { hasHolderEnded } from './holder.ts'
import { dismissIntent, type Intent, pendingIntents } from './intents.ts'
import { recordChanges } from './record-changes.ts'
import type { Repositories } from './repositories.ts'
import { findRowById, isSamePlace, type StoredRepository } from './rows.ts'

/**
 * Finishes what processes that died have begun in a repository: references that did change are recorded, the others
 * are forgotten. Call it in the repository's turn.
 * @returns how many intents were recorded.
 */
export async function repairRepository(
  repositories: Repositories,
  repository: StoredRepository,
  underWay: ReadonlySet<number> = new Set(),
): Promise<number> {
  let recorded = 0
  for (const intent of await pendingIntents(repositories, repository.id, underWay)) {
    if (!(await isLeft(repositories, intent))) continue
    // While an intent is pending, the repository stays in its place; the caller may know an earlier one.
    const row = await repositories.reload(repository.row)
    if (row === undefined) return recorded
    const current = isSamePlace(row, repository.row) ? repository : await repositories.open(row)
    const changes = await happened(current, intent)
    if (changes.length > 0) {
      await recordChanges(repositories, current, intent, changes)
      recorded += 1
    } else {
      await transact(repositories.source, intent.by, (tx) => dismissIntent(tx, intent))
    }
    repositories.log.warn(
      { repository: repository.folder, intent: intent.id, changes: changes.length },
      'finished what another process had begun in a repository',
    )
  }
  return recorded
}

/** Repairs all repositories in which a process that died has left something. A failure is logged: others go on. */
export async function repairAll(repositories: Repositories): Promise<void> {
  const rows = await repositories.source.db
    .selectFrom('reference_changes')
    .select('repository_id')
    .distinct()
    .where('state', '=', 'pending')
    .execute()
  for (const { repository_id } of rows) {
    try {
      const row = await findRowById(repositories.source.db, repository_id)
      if (row === undefined || row.made_at === null) continue
      const repository = await repositories.open(row)
      await repositories.turns.take(row.id, () => repairRepository(repositories, repository))
    } catch (error) {
      repositories.log.error({ err: error, repository: repository_id }, 'a repository could not be repaired')
    }
  }
}

/** Whether nobody works on an intent any more: it was this process, which has given up, or one that has ended. */
async function isLeft({ source, holder }: Repositories, intent: Intent): Promise<boolean> {
  if (intent.holder === holder.number) return true
  return transact(source, intent.by, (tx) => hasHolderEnded(tx, intent.holder))
}

async function happened(repository: StoredRepository, { changes }: Intent) {
  const now = await readReferences(
    repository,
    changes.map(({ ref }) => ref),
  )
  return changes.filter(({ ref, after }) => (now.get(ref) ?? NO_OBJECT) === after)
}
