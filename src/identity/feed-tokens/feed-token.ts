import { digestOf } from '#platform/access/digest.ts'
import type { Randomness } from '#platform/context.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { keyRing, type SealedColumn } from '#platform/key-ring/key-ring.ts'

const NAME = 'feed token'

export const sealedFeedTokens: SealedColumn = { table: 'feed_tokens', column: 'sealed', name: NAME }

interface Services {
  readonly db: Db
  readonly secrets: Secrets
}

/** A token as it is stored: sealed for its owner, and as a digest that requests are compared with. */
export interface StoredFeedToken {
  readonly digest: Buffer
  readonly sealed: Buffer
}

/** Makes a token of 160 random bits. Call it before the transaction that stores it. */
export async function makeFeedToken(
  services: Services & { readonly random: Randomness },
): Promise<StoredFeedToken> {
  const token = `glft-${Buffer.from(services.random.bytes(20)).toString('base64url')}`
  return { digest: digestOf(token), sealed: await keyRing(services).seal(NAME, token) }
}

/** The token of a user; undefined for those who never wanted one. */
export async function feedTokenOf(services: Services, userId: number): Promise<string | undefined> {
  const found = await services.db
    .selectFrom('feed_tokens')
    .select('sealed')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return found && keyRing(services).open(NAME, found.sealed)
}

/** Gives a user a token, in the place of the one before, which works no more. */
export async function resetFeedToken(tx: Tx, userId: number, token: StoredFeedToken): Promise<void> {
  const values = { ...token, created_at: tx.now }
  await tx.db
    .insertInto('feed_tokens')
    .values({ user_id: userId, ...values })
    .onConflict((conflict) => conflict.constraint('feed_tokens_user_key').doUpdateSet(values))
    .execute()
  record(tx, {
    name: 'feed token reset',
    namespace: null,
    target: { type: 'User', id: userId },
    details: {},
  })
}
