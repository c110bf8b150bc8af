import type { ApplicationRow } from '#identity/applications/entity.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { iso } from '#platform/http/time.ts'

/** A consent, with what is known of it while its row is locked. */
export interface Grant {
  readonly id: number
  readonly application_id: number
  readonly user_id: number
  readonly scopes: string[]
  readonly ends_at: string
  readonly refreshed_at: string | null
  readonly redirect_uri: string | null
  readonly code_challenge: string | null
  readonly refresh_digest: Buffer | null
  /** Whether its user may use the instance now. */
  readonly user_active: boolean
}

/** Finds a grant by one of its digests or its id, and locks it until the transaction ends. */
export async function lockGrant(
  tx: Tx,
  by: 'code_digest' | 'family_digest' | 'id',
  key: Buffer | number,
): Promise<Grant | undefined> {
  return tx.db
    .selectFrom('oauth_grants as g')
    .innerJoin('users as u', 'u.id', 'g.user_id')
    .select([
      'g.id',
      'g.application_id',
      'g.user_id',
      'g.scopes',
      'g.ends_at',
      'g.refreshed_at',
      'g.redirect_uri',
      'g.code_challenge',
      'g.refresh_digest',
    ])
    .select((eb) =>
      eb
        .and([eb('u.state', '=', 'active'), eb('u.deleted_at', 'is', null)])
        .$castTo<boolean>()
        .as('user_active'),
    )
    .where(`g.${by}`, '=', key)
    .forUpdate('g')
    .executeTakeFirst()
}

/** Whether something with an end has ended. */
export const isPast = ({ ends_at }: { readonly ends_at: string }, now: string) => iso(ends_at) <= now

/** Ends a consent and every token that came of it, at once. @returns whether it was still active. */
export async function endGrant(tx: Tx, id: number): Promise<boolean> {
  const ended = await tx.db
    .updateTable('oauth_grants')
    .set({ ends_at: tx.now })
    .where('id', '=', id)
    .where('ends_at', '>', tx.now)
    .returning('id')
    .executeTakeFirst()
  await endAccessTokens(tx, id)
  return ended !== undefined
}

/** Ends the access tokens of a consent; the refresh token stays. */
export async function endAccessTokens(tx: Tx, grantId: number): Promise<void> {
  await tx.db
    .updateTable('oauth_access_tokens')
    .set({ revoked_at: tx.now })
    .where('grant_id', '=', grantId)
    .where('revoked_at', 'is', null)
    .execute()
}

/**
 * Answers the reuse of something that works once: one of its holders is an attacker, and the server cannot tell which.
 * Everything that came of the consent ends (RFC 6749 §4.1.2, RFC 9700 §4.14.2). The event is recorded once, when there
 * was something to end.
 */
export async function refuseReuse(
  tx: Tx,
  client: ApplicationRow,
  grant: Grant,
  what: 'code' | 'device code' | 'refresh token',
): Promise<void> {
  if (!(await endGrant(tx, grant.id))) return
  record(tx, {
    name: 'OAuth token reuse refused',
    namespace: null,
    target: { type: 'Application', id: client.id },
    details: { name: client.name, user_id: grant.user_id, what },
  })
}
