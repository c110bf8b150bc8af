import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { refusal } from '#platform/refusals.ts'
import type { ProjectContainer } from '#platform/access/authorize.ts'

/** Milestones of one release. */
export const MAX_MILESTONES = 20

/** The milestones that a request names, by titles or by ids. */
export interface NamedMilestones {
  readonly milestones?: readonly string[]
  readonly milestone_ids?: readonly number[]
}

/**
 * The ids of milestones of the project or of a group above it; undefined when the request names none. They stay until the transaction ends.
 * @throws 400 when one is not there
 */
export async function resolveMilestones(
  tx: Tx,
  { traversal_ids }: ProjectContainer,
  { milestones, milestone_ids }: NamedMilestones,
): Promise<number[] | undefined> {
  const titles = milestones?.filter((title) => title !== '')
  if (titles === undefined && milestone_ids === undefined) return undefined
  const found = await tx.db
    .selectFrom('milestones as m')
    .select(['m.id', 'm.title'])
    .where(isAnyOf('m.namespace_id', traversal_ids))
    .where(
      titles === undefined
        ? isAnyOf('m.id', milestone_ids ?? [])
        : sql<boolean>`m.title = any(${[...titles]}::text[])`,
    )
    .orderBy('m.id')
    .forKeyShare()
    .execute()
  const missing =
    titles === undefined
      ? (milestone_ids ?? []).filter((id) => !found.some((one) => one.id === id))
      : titles.filter((title) => !found.some((one) => one.title === title))
  if (missing.length > 0) throw refusal(`Milestone(s) not found: ${missing.join(', ')}`)
  return found.map(({ id }) => id)
}

/** Gives a release these milestones instead of those that it has. */
export async function setMilestones(tx: Tx, releaseId: number, ids: readonly number[]): Promise<void> {
  await tx.db.deleteFrom('release_milestones').where('release_id', '=', releaseId).execute()
  if (ids.length === 0) return
  await tx.db
    .insertInto('release_milestones')
    .values(ids.map((milestone_id) => ({ release_id: releaseId, milestone_id })))
    .execute()
}
