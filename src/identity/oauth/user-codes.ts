import { sql } from 'kysely'
import type { User } from '#platform/access/identity.ts'
import { digestOf } from '#platform/access/digest.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { tooManyRequests } from '#platform/refusals.ts'
import { createGrant, recordAuthorized } from './authorize-application.ts'
import { readUserCode } from './device-codes.ts'
import { iso } from '#platform/http/time.ts'
import { secondsAfter } from './lifetimes.ts'
import { grantable } from './scopes.ts'

/** Wrong codes that a user may enter in this many seconds (RFC 8628 §5.1). */
const MAX_FAILURES = 10
const WINDOW = 900

/** A device that waits for the user's decision. */
export interface WaitingDevice {
  readonly id: number
  readonly application_id: number
  readonly scopes: string[]
  readonly ends_at: string
  /** As the device shows it. */
  readonly userCode: string
}

/**
 * Finds and locks the device that shows a code. Wrong codes are counted, so that nobody can try them all; a right one
 * does not reset the count.
 *
 * @returns undefined for a wrong code; that must be committed.
 * @throws 429 after too many.
 */
export async function findWaitingDevice(
  tx: Tx,
  user: { readonly id: number },
  typed: string,
): Promise<WaitingDevice | undefined> {
  const failures = await countTry(tx, user.id, 1)
  if (failures > MAX_FAILURES) throw tooManyRequests(WINDOW)
  const code = readUserCode(typed)
  const device =
    code &&
    (await tx.db
      .selectFrom('oauth_device_codes')
      .select(['id', 'application_id', 'scopes', 'ends_at'])
      .where('user_code_digest', '=', digestOf(code.letters))
      .where('ends_at', '>', tx.now)
      .where('denied_at', 'is', null)
      .where('grant_id', 'is', null)
      .forUpdate()
      .executeTakeFirst())
  if (code === undefined || device === undefined) return undefined
  await countTry(tx, user.id, -1)
  return { ...device, userCode: code.shown }
}

/** Locks the user's row, so that simultaneous tries are counted one after the other. */
async function countTry(tx: Tx, userId: number, change: number): Promise<number> {
  const begun = sql`oauth_user_code_tries.since < ${secondsAfter(tx.now, -WINDOW)}::timestamptz`
  const { failures } = await tx.db
    .insertInto('oauth_user_code_tries')
    .values({ user_id: userId, failures: change, since: tx.now })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        failures: sql<number>`case when ${begun} then 1 else oauth_user_code_tries.failures + ${change} end`,
        since: sql<string>`case when ${begun} then excluded.since else oauth_user_code_tries.since end`,
      }),
    )
    .returning('failures')
    .executeTakeFirstOrThrow()
  return failures
}

/** Lets a device act for a user who has agreed; the device learns it at its next poll. */
export async function allowDevice(
  tx: Tx,
  user: Pick<User, 'id' | 'admin'>,
  device: WaitingDevice,
  application: { readonly id: number; readonly name: string },
): Promise<void> {
  const consent = { application, userId: user.id, scopes: grantable(device.scopes, user) }
  const grant_id = await createGrant(tx, consent, { ends_at: iso(device.ends_at) })
  await tx.db.updateTable('oauth_device_codes').set({ grant_id }).where('id', '=', device.id).execute()
  await recordAuthorized(tx, consent)
}

/** Refuses a device. */
export async function denyDevice(tx: Tx, device: WaitingDevice): Promise<void> {
  await tx.db
    .updateTable('oauth_device_codes')
    .set({ denied_at: tx.now })
    .where('id', '=', device.id)
    .execute()
}
