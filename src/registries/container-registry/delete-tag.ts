import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { RepositoryAccess } from './authorize.ts'

/**
 * Deletes a tag. Its manifest stays for a day, for whoever pulls it by its digest.
 * @param manifestId if it may only go as long as it has that manifest
 * @returns whether it was there
 */
export async function deleteTag(
  tx: Tx,
  { project, rest }: Pick<RepositoryAccess, 'project' | 'rest'>,
  repositoryId: number,
  tag: string,
  manifestId?: number,
): Promise<boolean> {
  const isThat = manifestId === undefined ? sql`true` : sql`manifest_id = ${manifestId}`
  const { numAffectedRows = 0n } = await sql`
    with gone as (delete from container_tags where repository_id = ${repositoryId} and name = ${tag} and ${isThat}
      returning manifest_id)
    update container_manifests m set touched_at = ${tx.now} from gone where m.id = gone.manifest_id`.execute(
    tx.db,
  )
  if (numAffectedRows === 0n) return false
  record(tx, {
    name: 'container tag deleted',
    namespace: project.namespace_id,
    target: { type: 'ContainerRepository', id: repositoryId },
    details: { repository: rest, tag },
  })
  return true
}
