import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { lockNode, type LockedNode, type Parent } from '#identity/namespaces/lock.ts'
import type { StoredSettings } from './project-settings.ts'

/** A project whose row stays unchanged until the transaction ends. */
export interface LockedProject {
  readonly id: number
  readonly namespace_id: number
  readonly node: LockedNode
  readonly parent: Parent
  readonly settings: StoredSettings
}

/**
 * Locks a project and the namespaces above it.
 * @throws 404 when it is gone
 */
export async function lockProject(tx: Tx, namespaceId: number): Promise<LockedProject> {
  const node = await lockNode(tx, namespaceId)
  return projectOfLockedNode(tx, node)
}

/** Reads the project of a namespace that this transaction has locked. */
export async function projectOfLockedNode(tx: Tx, node: LockedNode): Promise<LockedProject> {
  const { parent } = node
  if (parent === null) throw new Error(`${node.id} is no project: it has no parent`)
  const project = await tx.db
    .selectFrom('projects as p')
    .select(['p.id', sql<StoredSettings>`p.settings`.as('settings')])
    .where('p.project_namespace_id', '=', node.id)
    .executeTakeFirstOrThrow()
  return { ...project, namespace_id: node.id, node, parent }
}
