import { sql } from 'kysely'
import type { Tx } from '#db/transaction.ts'
import { lockNode, type LockedNode, type Parent } from '#namespaces/tree.ts'
import type { StoredSettings } from './settings.ts'

/** A project as it is now, and stays until the transaction ends. */
export interface LockedProject extends Omit<LockedNode, 'id'> {
  readonly id: number
  readonly namespace_id: number
  readonly parent: Parent
  readonly archived: boolean
  readonly updated_at: string
  readonly settings: StoredSettings
}

/**
 * Locks a project, and the namespaces above it, against other changes.
 * @throws 404 when it is gone
 */
export async function lockProject(tx: Tx, namespaceId: number): Promise<LockedProject> {
  const { parent, ...node } = await lockNode(tx, namespaceId)
  if (parent === null) throw new Error(`${namespaceId} is no project: it has no parent`)
  const project = await tx.db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['p.id', 'n.archived', 'n.updated_at', sql<StoredSettings>`p.settings`.as('settings')])
    .where('n.id', '=', namespaceId)
    .executeTakeFirstOrThrow()
  return { ...node, ...project, namespace_id: namespaceId, parent }
}
