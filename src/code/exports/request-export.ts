import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { exportProject } from './export-project.ts'

/** Asks for an archive of a project. While one is being made, nothing else happens. */
export async function requestExport(
  tx: Tx,
  { container }: Pick<AuthorizedProject, 'container'>,
  description: string | null,
): Promise<void> {
  const asked = { state: 'queued', description, requested_at: tx.now } as const
  const made = await tx.db
    .insertInto('project_exports')
    .values({ ...asked, project_id: container.id })
    .onConflict((oc) =>
      oc.column('project_id').doUpdateSet(asked).where('project_exports.state', 'in', ['finished', 'failed']),
    )
    .returning('project_id')
    .executeTakeFirst()
  if (made === undefined) return
  await enqueue(tx, exportProject, { project_id: container.id })
  record(tx, {
    name: 'project export requested',
    namespace: container.namespace_id,
    target: { type: 'Project', id: container.id },
    details: {},
  })
}
