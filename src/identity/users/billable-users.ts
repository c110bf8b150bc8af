import { type RawBuilder, sql } from 'kysely'
import type { Plan } from '#platform/access/route-access.ts'
import { levels } from '#platform/access/roles.ts'
import type { Db } from '#platform/db/pool.ts'
import type { UserKind, UserState } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { onlyOne } from '#platform/sequences.ts'

/** How many users take a seat, by two rules: that of most plans, and that of Ultimate, where guests are free. */
export interface BillableUsers {
  readonly everybody: number
  readonly aboveGuest: number
}

/** The number that counts under a plan. */
export const billableUnder = (plan: Plan, { everybody, aboveGuest }: BillableUsers): number =>
  plan === 'ultimate' ? aboveGuest : everybody

/**
 * Memberships that make a user more than a guest. Users own their namespace, which counts once it holds a project,
 * because they own that, too. Roles through an invited group need no check: they never exceed the role in that group.
 */
const aboveGuest = sql`members m join namespaces n on n.id = m.namespace_id
  where m.access_level > ${sql.lit(levels.guest)} and n.kind <> 'user' and n.deleted_at is null`

/**
 * Counts the people who take a seat. It leaves out bots, the ghost user, and users who are blocked, banned, deactivated
 * or waiting for approval. Administrators count like everybody else.
 */
export async function countBillableUsers(db: Db | Tx['db'], today: string): Promise<BillableUsers> {
  const seated = sql`select count(*) from users u
    where u.kind = 'human' and u.state = 'active' and u.deleted_at is null`
  const { rows } = await sql<BillableUsers>`
    select (${seated}) as everybody, (${seated} and u.id in (
      select m.user_id from ${aboveGuest} and (m.expires_at is null or m.expires_at > ${today}::date)
    )) as "aboveGuest"`.execute(db)
  return onlyOne(rows)
}

/** A column: the day from which the user `u` is no more than a guest anywhere; null when they already are not. */
export const aboveGuestUntil: RawBuilder<string | null> = sql`(
  select max(coalesce(m.expires_at, '9999-12-31')) from ${aboveGuest} and m.user_id = u.id)`

interface Seat {
  readonly kind: UserKind
  readonly state: UserState
  readonly above_guest_until: string | null
}

/** Whether one user takes a seat under a plan, by the same rule as {@link countBillableUsers}. */
export function takesSeat({ kind, state, above_guest_until }: Seat, plan: Plan, today: string): boolean {
  if (kind !== 'human' || state !== 'active') return false
  return plan !== 'ultimate' || (above_guest_until !== null && above_guest_until > today)
}
