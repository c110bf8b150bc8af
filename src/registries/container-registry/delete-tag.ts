import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { RepositoryAccess } from './authorize.ts'

/** Deletes a tag. Its manifest stays for a while, for whoever pulls it by its digest. @returns whether it was there */
export async function deleteTag(
  tx: Tx,
  { project, rest }: Pick<RepositoryAccess, 'project' | 'rest'>,
  repositoryId: number,
  tag: string,
): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('container_tags')
    .where('repository_id', '=', repositoryId)
    .where('name', '=', tag)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  record(tx, {
    name: 'container tag deleted',
    namespace: project.namespace_id,
    target: { type: 'ContainerRepository', id: repositoryId },
    details: { repository: rest, tag },
  })
  return true
}
