import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { ProjectDeployKeyRow } from './entity.ts'
import type { ProjectOfKeys } from './queries.ts'

/**
 * Removes a deploy key from a project. Unless it is public or enabled elsewhere, the database removes the key, too: see
 * `remove_unused_deploy_keys` in the migrations.
 * @param key locked by `lockProjectKey`.
 */
export async function removeDeployKey(
  tx: Tx,
  project: ProjectOfKeys,
  { id, title, fingerprint_sha256 }: ProjectDeployKeyRow,
): Promise<void> {
  await tx.db
    .deleteFrom('deploy_key_projects')
    .where('project_id', '=', project.id)
    .where('key_id', '=', id)
    .execute()
  record(tx, {
    name: 'deploy key removed',
    namespace: project.namespace_id,
    target: { type: 'DeployKey', id },
    details: { title, fingerprint_sha256 },
  })
}
