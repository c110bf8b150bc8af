import type { Tx } from '#db/transaction.ts'
import { record } from '#facts/record.ts'
import type { TokenRow } from './entity.ts'

type Member = Pick<TokenRow, 'id' | 'family_id'>

/** Tokens that came from one another by rotation go by the id of the first. */
export const familyOf = ({ id, family_id }: Member): number => family_id ?? id

/**
 * Lets nobody else rotate or revoke a token of this family until the transaction ends: of rotations at the same
 * time one wins, and the others see what it did.
 */
export async function lockFamily(tx: Tx, token: Member): Promise<void> {
  await tx.db.selectFrom('access_tokens').select('id').where('id', '=', familyOf(token)).forUpdate().execute()
}

/** Ends a token at once, everywhere. Revoking it again changes nothing. */
export async function revokeToken(tx: Tx, token: Member): Promise<void> {
  await lockFamily(tx, token)
  const [revoked] = await revoking(tx).where('id', '=', token.id).returning(['id', 'name']).execute()
  if (revoked !== undefined) await recordRevoked(tx, revoked)
}

/**
 * Ends every token that came from the same one by rotation: somebody used a token that had been replaced, so
 * that one of those who hold the family's tokens is not who should.
 */
export async function revokeFamily(tx: Tx, token: Member): Promise<void> {
  await lockFamily(tx, token)
  const family = familyOf(token)
  const revoked = await revoking(tx)
    .where((eb) => eb.or([eb('id', '=', family), eb('family_id', '=', family)]))
    .returning(['id', 'name'])
    .execute()
  for (const each of revoked) await recordRevoked(tx, each)
}

const revoking = (tx: Tx) =>
  tx.db.updateTable('access_tokens').set({ revoked_at: tx.now }).where('revoked_at', 'is', null)

async function recordRevoked(tx: Tx, { id, name }: { id: number; name: string }): Promise<void> {
  await record(tx, {
    name: 'token revoked',
    namespace: null,
    target: { type: 'AccessToken', id },
    details: { name },
  })
}
