import type { AuthorizedGroup } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { labelIds, namesIn } from '#planning/labels/label-ids.ts'
import type { EpicChangeRequest, EpicChanges } from './changes.ts'

/** Keeps the group from being moved until the transaction ends: a move would miss what is being assigned. */
export async function heldInPlace(tx: Tx, authorized: AuthorizedGroup): Promise<AuthorizedGroup> {
  const { traversal_ids } = await lockParent(tx, authorized.container.namespace_id)
  return { ...authorized, container: { ...authorized.container, traversal_ids } }
}

/**
 * Looks up the labels that a request names. Unknown ones are created if the caller may do so, and else left out. None of
 * them can go away before the transaction ends.
 * @param authorized is held in place if the request names labels.
 */
export async function resolveChanges(
  tx: Tx,
  authorized: AuthorizedGroup,
  { labels, add_labels, remove_labels, ...rest }: EpicChangeRequest,
): Promise<EpicChanges> {
  const ids = await labelIds(tx, authorized, {
    known: namesIn(remove_labels),
    wanted: [...namesIn(labels), ...namesIn(add_labels)],
  })
  const idsOf = (names: readonly string[]) => namesIn(names).flatMap((name) => ids.get(name) ?? [])
  return {
    ...rest,
    ...(labels === undefined ? {} : { label_ids: idsOf(labels) }),
    ...(add_labels === undefined ? {} : { add_label_ids: idsOf(add_labels) }),
    ...(remove_labels === undefined ? {} : { remove_label_ids: idsOf(remove_labels) }),
  }
}

/** Whether a request assigns labels. */
export const namesLabels = ({ labels, add_labels }: EpicChangeRequest): boolean =>
  labels !== undefined || add_labels !== undefined
