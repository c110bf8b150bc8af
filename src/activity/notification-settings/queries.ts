import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { type ChosenEvents, DEFAULT_LEVEL, type NotificationLevel } from './events.ts'

/** What somebody chose in a project or group. */
export interface SettingsRow {
  readonly level: NotificationLevel
  readonly events: ChosenEvents
}

/** What somebody chose for everywhere, or the defaults. */
export interface GlobalRow {
  readonly level: NotificationLevel
  /** Where mails go. */
  readonly email: string
  readonly own_activity: boolean
  readonly events: ChosenEvents
}

/** @param place the id in `namespaces` of a project or group. */
export async function findSettings(
  db: Db | Tx['db'],
  userId: number,
  place: number,
): Promise<SettingsRow | undefined> {
  const { rows } = await sql<SettingsRow>`
    select level, events from notification_settings
    where user_id = ${userId} and namespace_id = ${place}`.execute(db)
  return rows[0]
}

/**
 * Where the mails of the user `u` go, whose settings for everywhere are `s`: to the chosen address while it is a confirmed
 * one, and otherwise to the first.
 */
export const mailAddress = (s: string, u: string): RawBuilder<string> => sql<string>`(case
  when ${sql.ref(`${s}.email`)} is not null and exists (select 1 from emails e where e.user_id = ${sql.ref(`${u}.id`)}
    and lower(e.email) = lower(${sql.ref(`${s}.email`)}) and e.confirmed_at is not null)
  then ${sql.ref(`${s}.email`)} else ${sql.ref(`${u}.email`)} end)`

export async function findGlobalSettings(db: Db | Tx['db'], userId: number): Promise<GlobalRow> {
  const { rows } = await sql<GlobalRow>`
    select coalesce(s.level, ${DEFAULT_LEVEL}) as level, ${mailAddress('s', 'u')} as email,
      coalesce(s.own_activity, false) as own_activity, coalesce(s.events, '{}') as events
    from users u left join notification_settings s on s.user_id = u.id and s.namespace_id is null
    where u.id = ${userId}`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('There is no such user')
  return row
}
