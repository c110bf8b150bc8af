import type { TreePosition } from '#platform/access/containers.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import { checkDates, assertFreeTitle, lockTitle } from './check-milestone.ts'
import type { MilestoneRow } from './entity.ts'

export interface NewMilestone {
  readonly title: string
  readonly description?: string | null
  readonly start_date?: string | null
  readonly due_date?: string | null
}

/**
 * Makes a milestone of a project or group.
 * @throws 400 when the title is used there, above or below, and for a due date before the start date.
 */
export async function createMilestone(
  tx: Tx,
  home: TreePosition,
  { title: given, description = null, start_date = null, due_date = null }: NewMilestone,
): Promise<Omit<MilestoneRow, 'project_id' | 'full_path' | 'left_out'>> {
  const title = given.trim()
  checkDates({ start_date, due_date })
  const { namespace_id } = home
  await lockTitle(tx, home, title)
  await assertFreeTitle(tx, home, title)
  const iid = await nextIid(tx, namespace_id, 'milestone')
  const created = await tx.db
    .insertInto('milestones')
    .values({
      namespace_id,
      iid,
      title,
      description,
      start_date,
      due_date,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(['id', 'iid', 'namespace_id', 'title', 'description', 'state', 'start_date', 'due_date'])
    .returning(['created_at', 'updated_at'])
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'milestone created',
    namespace: namespace_id,
    target: { type: 'Milestone', id: created.id },
    details: { title },
  })
  return created
}
