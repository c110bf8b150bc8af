import type { TreePosition } from '#platform/access/containers.ts'
import { lockText } from '#platform/db/locks.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import { invalid } from '#platform/http/errors.ts'

interface Dates {
  readonly start_date: string | null
  readonly due_date: string | null
}

/** @throws 400 for what would be due before it starts */
export function checkDates({ start_date, due_date }: Dates): void {
  if (start_date !== null && due_date !== null && due_date < start_date) {
    throw invalid({ due_date: ['must not be before the start date'] })
  }
}

/**
 * Lets nobody else take a title in the same tree until the transaction ends: no constraint sees it at once at a place,
 * above and below. Locked before the milestones themselves.
 */
export async function lockTitle(tx: Tx, home: TreePosition, title: string): Promise<void> {
  await lockText(tx, `milestone ${home.traversal_ids[0]} ${title.trim()}`)
}

/**
 * A title means one milestone, wherever one looks from: it is used neither at a place, nor above, nor below it.
 * @param below what counts of the places below: a milestone that takes the place of those of projects spares them.
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
