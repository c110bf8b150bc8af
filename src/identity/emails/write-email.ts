import { sql } from 'kysely'
import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid, taken } from '#platform/refusals.ts'
import { checkEmail } from '#identity/users/account-rules.ts'
import { type EmailRow, emailColumns } from './entity.ts'

/** Further addresses of one account. */
const MAX_EMAILS = 100

export interface NewEmail {
  readonly email: string
  /** Whether nobody needs to follow a link first. */
  readonly confirmed: boolean
}

/**
 * Adds a further address to an account.
 * @param user locked by `lockUser`.
 * @throws 400 for an impossible address, for one that somebody has confirmed or the user has already, and for too many.
 */
export async function addEmail(
  tx: Tx,
  user: { readonly id: number; readonly email: string },
  { email, confirmed }: NewEmail,
): Promise<EmailRow> {
  checkEmail(email)
  await lockAddress(tx, email)
  await assertUnclaimed(tx, email, 0)
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from emails where user_id = ${user.id}`.execute(tx.db)
  if ((rows[0]?.count ?? 0) >= MAX_EMAILS)
    throw invalid({ email: [`cannot be added: ${MAX_EMAILS} are the most`] })
  const row = await tx.db
    .insertInto('emails')
    .values({ user_id: user.id, email, created_at: tx.now, confirmed_at: confirmed ? tx.now : null })
    .onConflict((oc) => oc.doNothing())
    .returning(emailColumns)
    .executeTakeFirst()
  if (row === undefined) throw emailTaken()
  tell(tx, 'email added', row, user.id)
  return row
}

/** Confirms a further address. @returns false when the user has none like this, or somebody else has it now. */
export async function confirmEmail(tx: Tx, user: { readonly id: number }, email: string): Promise<boolean> {
  await lockAddress(tx, email)
  if (await isClaimed(tx, email, user.id)) return false
  const row = await tx.db
    .updateTable('emails')
    .set({ confirmed_at: tx.now })
    .where('user_id', '=', user.id)
    .where(sql<boolean>`lower(email) = ${email.toLowerCase()}`)
    .where('confirmed_at', 'is', null)
    .returning(emailColumns)
    .executeTakeFirst()
  if (row === undefined) return false
  tell(tx, 'email confirmed', row, user.id)
  return true
}

/** Deletes a further address, also where the account shows it. @param user locked by `lockUser`. */
export async function deleteEmail(
  tx: Tx,
  user: { readonly id: number },
  row: Pick<EmailRow, 'id' | 'email'>,
): Promise<void> {
  await tx.db.deleteFrom('emails').where('id', '=', row.id).execute()
  await sql`
    update users set
      public_email = nullif(public_email, ${row.email}), commit_email = nullif(commit_email, ${row.email})
    where id = ${user.id} and ${row.email} in (public_email, commit_email)`.execute(tx.db)
  tell(tx, 'email deleted', row, user.id)
}

/** Two people cannot get the same address at the same moment. */
export const lockAddress = (tx: Tx, email: string): Promise<void> =>
  lockText(tx, `email ${email.toLowerCase()}`)

async function assertUnclaimed(tx: Tx, email: string, except: number): Promise<void> {
  if (await isClaimed(tx, email, except)) throw emailTaken()
}

async function isClaimed(tx: Tx, email: string, except: number): Promise<boolean> {
  const address = email.toLowerCase()
  const { rows } = await sql<{ claimed: boolean }>`
    select exists (select from users where lower(email) = ${address} and id <> ${except})
      or exists (select from emails
        where lower(email) = ${address} and user_id <> ${except} and confirmed_at is not null) as claimed`.execute(
    tx.db,
  )
  return rows[0]?.claimed === true
}

const emailTaken = () => taken('email')

function tell(
  tx: Tx,
  name: 'email added' | 'email confirmed' | 'email deleted',
  { id, email }: Pick<EmailRow, 'id' | 'email'>,
  user_id: number,
): void {
  record(tx, { name, namespace: null, target: { type: 'Email', id }, details: { email, user_id } })
}
