import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden } from '#platform/refusals.ts'
import type { ProjectDeployKeyRow } from './entity.ts'
import type { ProjectOfKeys } from './queries.ts'

export interface DeployKeyChanges {
  readonly title?: string
  readonly can_push?: boolean
}

/**
 * Changes what a deploy key may do in a project, and its title everywhere.
 * @param key locked by `lockProjectKey`.
 * @throws 403 for the title of a public key, which only administrators change.
 */
export async function updateDeployKey(
  tx: Tx,
  project: ProjectOfKeys,
  key: ProjectDeployKeyRow,
  given: DeployKeyChanges,
  viewer: Viewer,
): Promise<ProjectDeployKeyRow> {
  const { title = key.title, can_push = key.can_push } = given
  const changes = changesBetween({ title: key.title, can_push: key.can_push }, { title, can_push })
  if (Object.keys(changes).length === 0) return key
  if (title !== key.title && key.public && !viewer.admin) {
    throw forbidden('Only administrators change the title of a public deploy key')
  }
  const { updated_at } = await tx.db
    .updateTable('deploy_key_projects')
    .set({ can_push, updated_at: tx.now })
    .where('project_id', '=', project.id)
    .where('key_id', '=', key.id)
    .returning('updated_at')
    .executeTakeFirstOrThrow()
  if (title !== key.title) {
    await tx.db.updateTable('ssh_keys').set({ title }).where('id', '=', key.id).execute()
  }
  record(tx, {
    name: 'deploy key changed',
    namespace: project.namespace_id,
    target: { type: 'DeployKey', id: key.id },
    details: { title, fields: Object.keys(changes), changes },
  })
  return { ...key, title, can_push, updated_at }
}
