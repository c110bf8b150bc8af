import { sql } from 'kysely'
import { locks } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { conflict, forbidden, invalid, known } from '#platform/refusals.ts'
import type { UserRow } from './queries.ts'

/** Rules for every account, however it is made or changed. */

const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]+$/

/** @throws 400 for an invalid e-mail address. */
export function checkEmail(email: string): string {
  if (!EMAIL.test(email) || email.length > 254) throw invalid({ email: ['is invalid'] })
  return email
}

/**
 * Checks an address to show or to commit with; blank means none.
 * @param email the user's first address.
 * @param others further ones, confirmed.
 * @throws 400 when it is not the user's own: otherwise it could pass for another person's.
 */
export function checkOwnEmail(
  attribute: 'public_email' | 'commit_email',
  address: string | null,
  email: string,
  others: readonly string[] = [],
): string | null {
  if (address === null || address === '') return null
  const owned = [email, ...others].map((one) => one.toLowerCase())
  if (owned.includes(address.toLowerCase())) return address
  throw invalid({ [attribute]: ['is not an email you own'] })
}

/**
 * @param except the id of the user who may have them already.
 * @throws 409 when another user has the e-mail address, or another user or group has the username as its path.
 */
export async function assertFree(
  tx: Tx,
  { email, username }: { readonly email: string; readonly username: string },
  except = 0,
): Promise<void> {
  const { rows } = await sql<{ email: boolean; username: boolean }>`select
    exists (select 1 from users where lower(email) = ${email.toLowerCase()} and id <> ${except})
      or exists (select 1 from emails where lower(email) = ${email.toLowerCase()} and user_id <> ${except}
        and confirmed_at is not null) as email,
    exists (select 1 from namespaces where lower(full_path) = ${username.toLowerCase()}
      and owner_id is distinct from ${except}) as username`.execute(tx.db)
  const [taken] = rows
  if (taken?.email) throw conflict(known('email-taken'))
  if (taken?.username) throw conflict(known('username-taken'))
}

/**
 * Whether no active administrator would remain without this user. A lock serializes the checks, so that two cannot
 * leave at once.
 */
export async function isLastAdministrator(tx: Tx, user: Pick<UserRow, 'id' | 'admin'>): Promise<boolean> {
  if (!user.admin) return false
  await sql`select pg_advisory_xact_lock(${locks.administrators})`.execute(tx.db)
  const other = await tx.db
    .selectFrom('users')
    .select('id')
    .where('admin', '=', true)
    .where('state', '=', 'active')
    .where('deleted_at', 'is', null)
    .where('id', '<>', user.id)
    .limit(1)
    .executeTakeFirst()
  return other === undefined
}

/** @throws 403 when the instance would be left without an administrator. */
export async function assertOtherAdministrator(tx: Tx, user: UserRow, done: string): Promise<void> {
  if (await isLastAdministrator(tx, user)) throw forbidden(`The last administrator cannot be ${done}`)
}
