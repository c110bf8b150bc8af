import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/refusals.ts'
import { findOrganization } from '#identity/organizations/queries.ts'

/**
 * Keeps users in the organization in which they were made.
 * @throws 404 for an organization that does not exist, 400 for one other than the user's.
 */
export async function stayInOrganization(tx: Tx, userId: number, organizationId: number): Promise<void> {
  const { id } = await findOrganization(tx.db, organizationId)
  const own = await tx.db
    .selectFrom('namespaces')
    .select('organization_id')
    .where('owner_id', '=', userId)
    .executeTakeFirst()
  if (own?.organization_id !== id) throw badRequest('users cannot be moved to another organization')
}
