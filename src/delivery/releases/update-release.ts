import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { iso } from '#platform/http/time.ts'
import type { ReleaseRow } from './entity.ts'
import { type NamedMilestones, resolveMilestones, setMilestones } from './milestones.ts'
import { findRelease } from './queries.ts'

interface ReleaseChanges extends NamedMilestones {
  readonly name?: string
  readonly description?: string
  readonly released_at?: string
}

/**
 * Changes what is given and differs.
 * @param known locked by `lockRelease`.
 * @throws 400 for milestones that are not there
 */
export async function updateRelease(
  tx: Tx,
  project: ProjectContainer,
  known: ReleaseRow,
  given: ReleaseChanges,
): Promise<ReleaseRow> {
  const { name = known.name, description = known.description, released_at = iso(known.released_at) } = given
  const ids = await resolveMilestones(tx, project, given)
  const held = known.milestones.map(({ id }) => id)
  const before = {
    name: known.name,
    description: known.description,
    released_at: iso(known.released_at),
    milestone_ids: held.join(','),
  }
  const after = {
    name: name.trim() === '' ? known.tag.slice(0, 255) : name,
    description,
    released_at,
    milestone_ids: (ids ?? held).join(','),
  }
  const changes = changesBetween(before, after)
  const fields = Object.keys(changes)
  if (fields.length === 0) return known
  const { milestone_ids: _, ...columns } = after
  await tx.db
    .updateTable('releases')
    .set({ ...columns, updated_at: tx.now })
    .where('id', '=', known.id)
    .execute()
  if (ids !== undefined) await setMilestones(tx, known.id, ids)
  record(tx, {
    name: 'release changed',
    namespace: project.namespace_id,
    target: { type: 'Release', id: known.id },
    details: { tag: known.tag, fields, changes },
  })
  return findRelease(tx.db, project.id, known.tag)
}
