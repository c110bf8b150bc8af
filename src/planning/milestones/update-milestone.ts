import type { TreePosition } from '#platform/access/containers.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { checkDates, assertFreeTitle } from './check-milestone.ts'
import type { NewMilestone } from './create-milestone.ts'
import type { MilestoneRow } from './entity.ts'

export interface MilestoneChanges extends Partial<NewMilestone> {
  readonly state_event?: 'close' | 'activate'
}

const fields = ['title', 'description', 'start_date', 'due_date'] as const

/**
 * Applies the given changes that differ and leaves the rest.
 * @param milestone locked by `lockMilestone`, after its new title by `lockTitle`.
 * @returns the changed milestone.
 * @throws 400 when the new title is used there, above or below, and for a due date before the start date.
 */
export async function updateMilestone(
  tx: Tx,
  home: TreePosition,
  milestone: MilestoneRow,
  { state_event, ...given }: MilestoneChanges,
): Promise<MilestoneRow> {
  const next = {
    title: given.title?.trim() ?? milestone.title,
    description: given.description === undefined ? milestone.description : given.description,
    start_date: given.start_date === undefined ? milestone.start_date : given.start_date,
    due_date: given.due_date === undefined ? milestone.due_date : given.due_date,
  }
  const changed = fields.filter((field) => next[field] !== milestone[field])
  const state = stateAfter(milestone.state, state_event)
  if (changed.length === 0 && state === milestone.state) return milestone
  checkDates(next)
  if (changed.includes('title')) await assertFreeTitle(tx, home, next.title)
  const written = await tx.db
    .updateTable('milestones')
    .set({
      ...Object.fromEntries(changed.map((field) => [field, next[field]])),
      ...(state === milestone.state ? {} : { state }),
      updated_at: tx.now,
    })
    .where('id', '=', milestone.id)
    .returning(['title', 'description', 'start_date', 'due_date', 'state', 'updated_at'])
    .executeTakeFirstOrThrow()
  const { title } = next
  const fact = { namespace: milestone.namespace_id, target: { type: 'Milestone', id: milestone.id } }
  if (changed.length > 0) {
    record(tx, { ...fact, name: 'milestone changed', details: { title, fields: changed } })
  }
  if (state !== milestone.state) {
    const name = state === 'closed' ? 'milestone closed' : 'milestone activated'
    record(tx, { ...fact, name, details: { title } })
  }
  return { ...milestone, ...written }
}

function stateAfter(
  state: MilestoneRow['state'],
  event: MilestoneChanges['state_event'],
): MilestoneRow['state'] {
  if (event === undefined) return state
  return event === 'close' ? 'closed' : 'active'
}
