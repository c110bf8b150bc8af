import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { type TrackingRow, trackingColumns } from './entity.ts'
import { lockTracking } from './queries.ts'

/** What a project has until somebody says otherwise. */
const initial: TrackingRow = { active: false, integrated: false, scrubs: true }

type Project = Pick<ProjectContainer, 'id' | 'namespace_id'>

/** Changes the settings of error tracking, and makes them where there are none. */
export async function putTracking(
  tx: Tx,
  project: Project,
  given: Partial<TrackingRow>,
): Promise<TrackingRow> {
  await lockParent(tx, project.namespace_id)
  const { id: project_id } = project
  await tx.db
    .insertInto('error_tracking_settings')
    .values({ project_id, ...initial, created_at: tx.now, updated_at: tx.now })
    .onConflict((conflict) => conflict.column('project_id').doNothing())
    .execute()
  return changeTracking(tx, project, given)
}

/**
 * Changes the settings that differ and leaves the rest.
 * @throws 404 where there are none.
 */
export async function changeTracking(
  tx: Tx,
  { id, namespace_id }: Project,
  given: Partial<TrackingRow>,
): Promise<TrackingRow> {
  const known = orNotFound(await lockTracking(tx, id), 'Error Tracking Setting')
  const next = { ...known, ...given }
  const changes = changesBetween({ ...known }, { ...next })
  const fields = Object.keys(changes)
  if (fields.length === 0) return known
  const changed = await tx.db
    .updateTable('error_tracking_settings')
    .set({ ...next, updated_at: tx.now })
    .where('project_id', '=', id)
    .returning(trackingColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'error tracking changed',
    namespace: namespace_id,
    target: { type: 'ErrorTracking', id },
    details: { fields, changes },
  })
  return changed
}
