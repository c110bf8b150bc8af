import type { TreePosition } from '#platform/access/containers.ts'
import type { AuthorizedContainer } from '#platform/access/projects-and-groups.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { defined } from '#platform/defined.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { refusal } from '#platform/refusals.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { labelIds, namesIn } from '#planning/labels/label-ids.ts'
import { readersAmong } from '#planning/noteables/items/readers-among.ts'

/** What all issues on a board have, as a request names it. Null, 0 and no label mean any. */
export interface NamedScope {
  readonly milestone_id?: number | null
  readonly assignee_id?: number | null
  /** By name. */
  readonly labels?: readonly string[]
}

export interface BoardScope {
  readonly milestone_id?: number | null
  readonly assignee_id?: number | null
  readonly label_ids?: readonly number[]
}

/**
 * Keeps a project or group from being moved until the transaction ends: a move replaces labels and milestones of the groups above.
 * @returns the same at its place of now.
 */
export async function heldInPlace(tx: Tx, authorized: AuthorizedContainer): Promise<AuthorizedContainer> {
  const { traversal_ids } = await lockParent(tx, authorized.container.namespace_id)
  return { ...authorized, container: { ...authorized.container, traversal_ids } }
}

/**
 * Looks up what a request names, and locks it until the transaction ends. It creates unknown labels if the caller may do so.
 * @param held by {@link heldInPlace}.
 * @throws 400 when it is not there
 */
export async function resolveScope(
  tx: Tx,
  held: AuthorizedContainer,
  { milestone_id, assignee_id, labels }: NamedScope,
): Promise<BoardScope> {
  const assignee = assignee_id && (await usableAssignee(tx, held, assignee_id))
  const milestone = milestone_id && (await usableMilestone(tx, held.container, milestone_id))
  const names = labels === undefined ? undefined : namesIn(labels)
  const ids = names === undefined ? undefined : await labelIds(tx, held, { known: [], wanted: names })
  if (names?.some((name) => ids?.has(name) !== true)) throw refusal('Label not found!')
  return defined({
    assignee_id: assignee === 0 ? null : assignee,
    milestone_id: milestone === 0 ? null : milestone,
    label_ids: ids && [...ids.values()],
  })
}

/** The same for a request that may name nothing of it. */
export async function scopeIn(
  tx: Tx,
  authorized: AuthorizedContainer,
  named: NamedScope,
): Promise<BoardScope> {
  const { milestone_id, assignee_id, labels } = named
  if (milestone_id === undefined && assignee_id === undefined && labels === undefined) return {}
  return resolveScope(tx, await heldInPlace(tx, authorized), named)
}

/** @throws 400 for somebody who may not read the project or group */
export async function usableAssignee(
  tx: Tx,
  held: Pick<AuthorizedContainer, 'container'>,
  id: number,
): Promise<number> {
  const [found] = (await readersAmong(tx, held, [id])) ?? []
  if (found === undefined) throw refusal('User not found!')
  return found
}

/** @throws 400 for a milestone of elsewhere */
export function usableMilestone(tx: Tx, home: TreePosition, id: number): Promise<number> {
  return usable(tx, 'milestones', home, id, 'Milestone not found!')
}

/** @throws 400 for a label of elsewhere */
export function usableLabel(tx: Tx, home: TreePosition, id: number): Promise<number> {
  return usable(tx, 'labels', home, id, 'Label not found!')
}

/** Of a project or group, or of a group above it. */
async function usable(
  tx: Tx,
  table: 'labels' | 'milestones',
  { traversal_ids }: TreePosition,
  id: number,
  missing: string,
): Promise<number> {
  const found = await tx.db
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .where(isAnyOf('namespace_id', traversal_ids))
    .forKeyShare()
    .executeTakeFirst()
  if (found === undefined) throw refusal(missing)
  return found.id
}
