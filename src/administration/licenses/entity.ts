import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Licenses } from '#platform/db/schema.ts'
import { day, entity, integer, moment } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { type BillableUsers, billableUnder } from '#identity/users/billable-users.ts'
import { hasExpired } from './current-license.ts'

/** A license in lists. */
export const ListedLicense = entity('ListedLicense', {
  id: integer(),
  plan: Type.String(),
  created_at: moment(),
  starts_at: day(),
  expires_at: day({ description: 'The first day on which the license no longer counts.' }),
  historical_max: integer({
    description: 'The highest number of users that was counted on a day of the license.',
  }),
  maximum_user_count: integer({
    description: 'The same; or, while the license is in force, the current number if it is higher.',
  }),
  expired: Type.Boolean(),
  overage: integer({
    description: 'Users beyond the limit: now, or at the historical maximum if the license has expired.',
  }),
  user_limit: integer({ description: '0 means no limit.' }),
  licensee: Type.Object({ Name: Type.String(), Email: Type.String(), Company: Type.String() }),
  add_ons: Type.Record(Type.String(), Type.Integer(), {
    description: 'The names of add-ons with their numbers.',
  }),
})

/** One license as the API presents it. */
export const License = entity('License', {
  ...ListedLicense.properties,
  active_users: integer({ description: 'The number of users who take a seat now.' }),
})

export type LicenseRow = Omit<Selectable<Licenses>, 'data' | 'digest' | 'add_ons'> & {
  readonly add_ons: Record<string, number>
  readonly historical_max: number
}

/** @param users how many users take a seat now. */
export function presentListedLicense(
  row: LicenseRow,
  users: BillableUsers,
  today: string,
): Static<typeof ListedLicense> {
  const { historical_max, user_limit } = row
  const now = billableUnder(row.plan, users)
  const expired = hasExpired(row, today)
  const inForce = !expired && row.starts_at <= today
  const used = expired ? historical_max : now
  return {
    id: row.id,
    plan: row.plan,
    created_at: iso(row.created_at),
    starts_at: row.starts_at,
    expires_at: row.expires_at,
    historical_max,
    maximum_user_count: inForce ? Math.max(historical_max, now) : historical_max,
    expired,
    overage: user_limit === 0 ? 0 : Math.max(0, used - user_limit),
    user_limit,
    licensee: { Name: row.name, Email: row.email, Company: row.company },
    add_ons: row.add_ons,
  }
}

/** Presents one license on its own. */
export function presentLicense(row: LicenseRow, users: BillableUsers, today: string): Static<typeof License> {
  return { ...presentListedLicense(row, users, today), active_users: billableUnder(row.plan, users) }
}
