import type { Tx } from '#platform/db/transaction.ts'
import { announce } from '#platform/db/watched.ts'
import { record } from '#platform/facts/record.ts'
import { badRequest } from '#platform/refusals.ts'
import { keepCount } from './count-billable-users.ts'
import { LICENSES_CHANNEL } from './current-license.ts'
import type { LicenseString } from './license-string.ts'

/**
 * Adds an accepted license, and counts today's users, because it may be the license's first day.
 * @returns its id.
 * @throws 400 when it is there already.
 */
export async function addLicense(tx: Tx, { terms, data, digest }: LicenseString): Promise<number> {
  const { plan, starts_at, expires_at, users, licensee, add_ons } = terms
  const added = await tx.db
    .insertInto('licenses')
    .values({
      data,
      digest,
      plan,
      starts_at,
      expires_at,
      user_limit: users,
      name: licensee.Name,
      email: licensee.Email,
      company: licensee.Company,
      add_ons: JSON.stringify(add_ons),
      created_at: tx.now,
    })
    .onConflict((conflict) => conflict.column('digest').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (added === undefined) throw badRequest('The license has already been added')
  await announce(tx, LICENSES_CHANNEL)
  await keepCount(tx)
  record(tx, {
    name: 'license added',
    namespace: null,
    target: { type: 'License', id: added.id },
    details: { plan, starts_at, expires_at, company: licensee.Company },
  })
  return added.id
}
