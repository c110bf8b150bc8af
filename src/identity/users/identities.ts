import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid, notFound, taken } from '#platform/refusals.ts'

/** A user's identity at another provider of accounts. */
export interface Identity {
  readonly provider: string
  readonly extern_uid: string
}

/** The identities of the user `u`, as JSON. */
export const identitiesJson: RawBuilder<Identity[]> = sql`coalesce((
  select json_agg(json_build_object('provider', d.provider, 'extern_uid', d.extern_uid) order by d.provider)
    from identities d where d.user_id = u.id), '[]')`

/** Whether the user `u` has this identity, ignoring case. */
export const hasIdentity = ({ provider, extern_uid }: Identity): RawBuilder<boolean> =>
  sql<boolean>`u.id = (select d.user_id from identities d
    where d.provider = ${provider} and lower(d.extern_uid) = lower(${extern_uid}))`

/**
 * Reads the identity that a request names; undefined when both parts are absent or blank, as some clients send them.
 * @throws 400 for one part without the other
 */
export function identityFrom(asked: Partial<Identity>): Identity | undefined {
  const { provider = '', extern_uid = '' } = asked
  if (provider === '' && extern_uid === '') return undefined
  if (provider === '') throw invalid({ provider: ["can't be blank"] })
  if (extern_uid === '') throw invalid({ extern_uid: ["can't be blank"] })
  return { provider, extern_uid }
}

interface Owner {
  readonly id: number
  readonly identities: readonly Identity[]
}

/**
 * Gives a user an identity, which replaces the one that they have at the same provider.
 * @param user locked, or made in this transaction.
 * @throws 400 when another user has it.
 */
export async function setIdentity(tx: Tx, user: Owner, { provider, extern_uid }: Identity): Promise<void> {
  const before = user.identities.find((one) => one.provider === provider)?.extern_uid ?? null
  if (before === extern_uid) return
  await tx.db
    .deleteFrom('identities')
    .where('user_id', '=', user.id)
    .where('provider', '=', provider)
    .execute()
  const added = await tx.db
    .insertInto('identities')
    .values({ user_id: user.id, provider, extern_uid })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  if (added === undefined) throw taken('identities.extern_uid')
  await recordChange(tx, user, { provider, from: before, to: extern_uid })
}

/** Removes an identity from a user. @throws 404 */
export async function removeIdentity(tx: Tx, user: Owner, provider: string): Promise<void> {
  const removed = await tx.db
    .deleteFrom('identities')
    .where('user_id', '=', user.id)
    .where('provider', '=', provider)
    .returning('extern_uid')
    .executeTakeFirstOrThrow(() => notFound('Identity'))
  await recordChange(tx, user, { provider, from: removed.extern_uid, to: null })
}

interface Change {
  readonly provider: string
  readonly from: string | null
  readonly to: string | null
}

async function recordChange(tx: Tx, { id }: Owner, details: Change): Promise<void> {
  const target = { type: 'User', id }
  record(tx, { name: 'user identity changed', namespace: null, target, details })
}
