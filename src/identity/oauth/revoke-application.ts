import type { ApplicationRow } from '#identity/applications/entity.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { endGrant } from './grants.ts'

/**
 * Revokes everything that a user allowed an application; its tokens for them end at once.
 * @returns whether it was allowed anything.
 */
export async function revokeApplication(tx: Tx, userId: number, applicationId: number): Promise<boolean> {
  const grants = await tx.db
    .selectFrom('oauth_grants as g')
    .innerJoin('applications as a', 'a.id', 'g.application_id')
    .select(['g.id', 'a.name'])
    .where('g.user_id', '=', userId)
    .where('g.application_id', '=', applicationId)
    .where('g.ends_at', '>', tx.now)
    .orderBy('g.id')
    .forUpdate('g')
    .execute()
  for (const { id } of grants) await endGrant(tx, id)
  const [first] = grants
  if (first === undefined) return false
  await recordRevoked(tx, { id: applicationId, name: first.name }, userId)
  return true
}

export async function recordRevoked(
  tx: Tx,
  { id, name }: Pick<ApplicationRow, 'id' | 'name'>,
  userId: number,
): Promise<void> {
  record(tx, {
    name: 'application revoked',
    namespace: null,
    target: { type: 'Application', id },
    details: { name, user_id: userId },
  })
}
