import { sql } from 'kysely'
import { keyOf, authorizeGroup } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Visibility } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { mayCreateProjects } from '#tenancy/groups/policy.ts'
import { forbidden, notFound } from '#platform/refusals.ts'

/** A namespace into which the caller may put a project. */
export interface Destination {
  readonly id: number
  readonly visibility: Visibility
  /** The owner of a personal namespace; null for a group. */
  readonly owner_id: number | null
}

/**
 * Finds the group or personal namespace with this id or path, and checks that the caller may make projects there.
 * @throws 404 `Namespace Not Found` when it does not exist or the caller may not see it, 403 when the caller may not
 * make projects.
 */
export async function openDestination(tx: Tx, viewer: Viewer, idOrPath: string): Promise<Destination> {
  const key = keyOf(idOrPath)
  const namespace = await tx.db
    .selectFrom('namespaces')
    .select(['id', 'visibility', 'owner_id'])
    .where('kind', 'in', ['group', 'user'])
    .where('deleted_at', 'is', null)
    .where((eb) =>
      'id' in key ? eb('id', '=', key.id) : eb(sql`lower(full_path)`, '=', key.path.toLowerCase()),
    )
    .executeTakeFirstOrThrow(() => notFound('Namespace'))
  if (namespace.owner_id !== null) {
    // Only its owner and administrators learn that a personal namespace exists.
    if (namespace.owner_id !== viewer.id && !viewer.admin) throw notFound('Namespace')
    return namespace
  }
  const group = await authorizeGroup(tx.db, viewer, String(namespace.id), 'create_project', {
    name: 'Namespace',
  })
  if (!mayCreateProjects(group.accessContext, group.container.settings))
    throw forbidden('namespace is not valid')
  return namespace
}

/** The caller's own namespace. */
export async function ownDestination(tx: Tx, userId: number): Promise<Destination> {
  return tx.db
    .selectFrom('namespaces')
    .select(['id', 'visibility', 'owner_id'])
    .where('owner_id', '=', userId)
    .executeTakeFirstOrThrow(() => notFound('Namespace'))
}
