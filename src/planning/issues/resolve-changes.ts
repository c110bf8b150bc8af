import type { AuthorizedProject } from '#platform/access/authorize.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { labelIds, namesIn } from '#planning/labels/label-ids.ts'
import { readersAmong } from '#planning/noteables/items/readers-among.ts'
import type { IssueChangeRequest, EpicOfRequest, IssueChanges } from './changes.ts'

/**
 * Looks up the labels, users and milestone that a request names, and locks them until the transaction ends. It creates unknown labels if
 * the caller may do so. Clients send whole objects back, so it leaves out what cannot be used here: unknown labels that the caller may not
 * create, users who may not read the project, milestones of other containers.
 */
export async function resolveChanges(
  tx: Tx,
  found: AuthorizedProject,
  asked: Omit<IssueChangeRequest, keyof EpicOfRequest>,
): Promise<IssueChanges> {
  const authorized = await heldInPlace(tx, found, asked)
  const { labels, add_labels, remove_labels, assignee_ids, assignee_id, milestone_id, ...rest } = asked
  const people = assignee_ids ?? (assignee_id === undefined ? undefined : [assignee_id ?? 0])
  const assignees = people === undefined ? undefined : await readersAmong(tx, authorized, people)
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
    ...(assignees === undefined ? {} : { assignee_ids: assignees }),
    ...(milestone_id === undefined ? {} : await milestone(tx, authorized, milestone_id)),
  }
}

/**
 * Keeps the project from being moved while labels or a milestone are being assigned. A move replaces labels and milestones of the groups
 * above, and would miss these.
 */
async function heldInPlace(
  tx: Tx,
  authorized: AuthorizedProject,
  { labels, add_labels, milestone_id }: IssueChangeRequest,
): Promise<AuthorizedProject> {
  if (labels === undefined && add_labels === undefined && !milestone_id) return authorized
  const { traversal_ids } = await lockParent(tx, authorized.container.namespace_id)
  return { ...authorized, container: { ...authorized.container, traversal_ids } }
}

/** A milestone of the project or of a group above it; 0 and null mean none. */
async function milestone(
  tx: Tx,
  { container }: AuthorizedProject,
  id: number | null,
): Promise<Pick<IssueChanges, 'milestone_id'>> {
  if (id === null || id === 0) return { milestone_id: null }
  const found = await tx.db
    .selectFrom('milestones')
    .select('id')
    .where('id', '=', id)
    .where(isAnyOf('namespace_id', container.traversal_ids))
    .forKeyShare()
    .executeTakeFirst()
  return found === undefined ? {} : { milestone_id: found.id }
}
