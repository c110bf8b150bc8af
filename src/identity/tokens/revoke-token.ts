import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { retireBot } from './bots.ts'
import { detailsOf } from './create-token.ts'
import type { TokenRow } from './entity.ts'

type Member = Pick<TokenRow, 'id' | 'name' | 'kind' | 'family_id' | 'user_id' | 'namespace_id'>

/** A token's family: all tokens that came from one another by rotation, named by the id of the first. */
export const familyOf = ({ id, family_id }: Pick<Member, 'id' | 'family_id'>): number => family_id ?? id

/**
 * Locks the family of a token until the transaction ends. Of simultaneous rotations one wins, and the others see what
 * it did.
 */
export async function lockFamily(tx: Tx, token: Member): Promise<void> {
  // Deleting a project or group locks it before its tokens; the same order here prevents deadlocks.
  const container = tx.db.selectFrom('namespaces').select('id').where('id', '=', token.namespace_id)
  if (token.namespace_id !== null) await container.forKeyShare().execute()
  await tx.db.selectFrom('access_tokens').select('id').where('id', '=', familyOf(token)).forUpdate().execute()
}

/** Ends a token at once, everywhere. Revoking it again changes nothing. */
export async function revokeToken(tx: Tx, token: Member): Promise<void> {
  await lockFamily(tx, token)
  for (const revoked of await revoking(tx).where('id', '=', token.id).execute()) await end(tx, revoked)
}

/**
 * Revokes every token of a family: somebody used a token that had been replaced, so one of the family's holders is an
 * attacker.
 */
export async function refuseReuse(tx: Tx, token: Member): Promise<void> {
  await lockFamily(tx, token)
  const family = familyOf(token)
  const revoked = await revoking(tx)
    .where((eb) => eb.or([eb('id', '=', family), eb('family_id', '=', family)]))
    .execute()
  for (const each of revoked) await end(tx, each)
  record(tx, {
    name: 'token reuse refused',
    namespace: token.namespace_id,
    target: { type: 'AccessToken', id: token.id },
    details: detailsOf(token),
  })
}

const revoking = (tx: Tx) =>
  tx.db
    .updateTable('access_tokens')
    .set({ revoked_at: tx.now })
    .where('revoked_at', 'is', null)
    .returning(['id', 'name', 'kind', 'user_id', 'namespace_id'])

async function end(tx: Tx, token: Omit<Member, 'family_id'>): Promise<void> {
  await retireBot(tx, token)
  record(tx, {
    name: 'token revoked',
    namespace: token.namespace_id,
    target: { type: 'AccessToken', id: token.id },
    details: detailsOf(token),
  })
}
