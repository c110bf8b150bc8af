import type { TreePosition } from '#platform/access/containers.ts'
import { lockText } from '#platform/db/locks.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import { invalid } from '#platform/refusals.ts'

interface Dates {
  readonly start_date: string | null
  readonly due_date: string | null
}

/** @throws 400 for a due date before the start date */
export function checkDates({ start_date, due_date }: Dates): void {
  if (start_date !== null && due_date !== null && due_date < start_date) {
    throw invalid({ due_date: ['must not be before the start date'] })
  }
}

/**
 * Locks a title, so that nobody else in the same tree can take it until the transaction ends: no constraint covers a
 * container together with everything above and below it. Lock the title before the milestones themselves.
 */
export async function lockTitle(tx: Tx, home: TreePosition, title: string): Promise<void> {
  await lockText(tx, `milestone ${home.traversal_ids[0]} ${title.trim()}`)
}

/**
 * Titles of milestones are unique across a container, everything above and everything below it.
 * @param below what counts below the container: a milestone that replaces those of projects ignores them.
 * @param title locked by {@link lockTitle}.
 * @throws 400
 */
export async function assertFreeTitle(
  tx: Tx,
  home: TreePosition,
  title: string,
  below: 'everything' | 'groups' = 'everything',
): Promise<void> {
  const taken = await tx.db
    .selectFrom('milestones as m')
    .innerJoin('namespaces as n', 'n.id', 'm.namespace_id')
    .select('m.id')
    .where('m.title', '=', title)
    .where('n.deleted_at', 'is', null)
    .where((eb) =>
      eb.or([
        isAnyOf('n.id', home.traversal_ids),
        below === 'groups'
          ? eb.and([inSubtree('n', home.namespace_id), eb('n.kind', '=', 'group')])
          : inSubtree('n', home.namespace_id),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  if (taken !== undefined) {
    throw invalid({ title: ['already being used for another group or project milestone.'] })
  }
}
