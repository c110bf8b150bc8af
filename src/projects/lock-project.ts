import type { Visibility } from '#db/schema.ts'
import type { Tx } from '#db/transaction.ts'
import { conflict, notFound } from '#http/errors.ts'
import { lockParent, type Parent } from '#namespaces/tree.ts'
import type { StoredSettings } from './settings.ts'
import { sql } from 'kysely'

/** A project as it is now, and stays until the transaction ends. */
export interface LockedProject {
  readonly id: number
  readonly namespace_id: number
  readonly path: string
  readonly full_path: string
  readonly name: string
  readonly visibility: Visibility
  readonly archived: boolean
  readonly updated_at: string
  readonly settings: StoredSettings
  readonly parent: Parent
}

/**
 * Locks a project against other changes, its namespace first: in the order in which groups are renamed.
 * @throws 404 when it is gone, 409 when it was moved in between
 */
export async function lockProject(
  tx: Tx,
  place: { readonly namespace_id: number; readonly parent_id: number },
): Promise<LockedProject> {
  const parent = await lockParent(tx, place.parent_id)
  const row = await tx.db
    .selectFrom('namespaces as n')
    .innerJoin('projects as p', 'p.project_namespace_id', 'n.id')
    .select([
      'p.id',
      'n.id as namespace_id',
      'n.parent_id',
      'n.path',
      'n.full_path',
      'n.name',
      'n.visibility',
      'n.archived',
      'n.updated_at',
      sql<StoredSettings>`p.settings`.as('settings'),
    ])
    .where('n.id', '=', place.namespace_id)
    .where('n.deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw notFound('Project')
  if (row.parent_id !== parent.id) throw conflict('The project was moved in the meantime')
  return { ...row, parent }
}
