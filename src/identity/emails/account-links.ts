import { digestOf } from '#platform/access/digest.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** What a link in a mail lets somebody do: set a password, or confirm an address. */
export type Purpose = 'password' | 'email'

export interface AccountLink {
  readonly user_id: number
  /** Where it was sent. */
  readonly email: string
}

/** The paths that the links lead to. */
export const linkPaths = {
  password: '/users/password/edit?reset_password_token=',
  email: '/users/confirmation?confirmation_token=',
} as const satisfies Record<Purpose, string>

const HOUR = 60

/** Minutes for which links work. A new account has no other way in, so its first link works for longer. */
export const lifetimes = { password: HOUR, firstPassword: 3 * 24 * HOUR, email: 3 * 24 * HOUR } as const

/**
 * Makes a link that works once. Links for the same purpose and address stop working.
 * @returns the secret, which the database does not hold.
 */
export async function makeLink(
  tx: Tx,
  purpose: Purpose,
  { user_id, email }: AccountLink,
  minutes: number,
): Promise<string> {
  const secret = tx.random.bytes(32).toString('base64url')
  const ends_at = new Date(Date.parse(tx.now) + minutes * 60_000).toISOString()
  await dropLinks(tx, purpose, user_id, email)
  await tx.db
    .insertInto('account_links')
    .values({ digest: digestOf(secret), purpose, user_id, email, ends_at })
    .execute()
  return secret
}

/** Finds a link that still works. */
export function findLink(
  db: Db | Tx['db'],
  purpose: Purpose,
  secret: string,
  now: string,
): Promise<AccountLink | undefined> {
  return db
    .selectFrom('account_links as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .select(['l.user_id', 'l.email'])
    .where('l.digest', '=', digestOf(secret))
    .where('l.purpose', '=', purpose)
    .where('l.ends_at', '>', now)
    .where('u.deleted_at', 'is', null)
    .executeTakeFirst()
}

/** Makes the user's links for a purpose stop working; those to one address where that is given. */
export async function dropLinks(tx: Tx, purpose: Purpose, userId: number, email?: string): Promise<void> {
  await tx.db
    .deleteFrom('account_links')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .$if(email !== undefined, (q) => q.where('email', '=', email ?? ''))
    .execute()
}
