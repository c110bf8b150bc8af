import { sql } from 'kysely'
import { hasConfirmed } from '#identity/emails/queries.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalid } from '#platform/refusals.ts'
import { type ChosenEvents, customEvents, DEFAULT_LEVEL, type NotificationLevel } from './events.ts'

/** What to change; absent fields stay as they are. An event that is null gets its default. */
export type EventChoices = { readonly [Name in keyof ChosenEvents]?: boolean | null | undefined } & {
  readonly level?: NotificationLevel | undefined
  readonly notification_email?: string | undefined
  readonly notified_of_own_activity?: boolean | undefined
}

/**
 * Changes what a user is told of. Events are kept whatever the level is.
 * @param place the id in `namespaces` of a project or group; null for everywhere.
 * @throws 400 for an address that is not a confirmed one of the user
 */
export async function changeSettings(
  tx: Tx,
  userId: number,
  place: number | null,
  changes: EventChoices,
): Promise<void> {
  const { level, notification_email, notified_of_own_activity } = changes
  if (notification_email !== undefined) await assertOwn(tx, userId, notification_email)
  const given = customEvents.filter((name) => changes[name] !== undefined)
  const chosen = Object.fromEntries(given.map((name) => [name, changes[name]]))
  const fresh = place === null ? DEFAULT_LEVEL : 'global'
  // What is null in the object of the request is taken out of the stored one.
  await sql`
    insert into notification_settings as s (user_id, namespace_id, level, events, email, own_activity, updated_at)
    values (${userId}, ${place}, ${level ?? fresh}, jsonb_strip_nulls(${JSON.stringify(chosen)}::jsonb),
      ${notification_email ?? null}, ${notified_of_own_activity ?? false}, ${tx.now})
    on conflict (user_id, namespace_id) do update set
      level = coalesce(${level ?? null}, s.level),
      events = jsonb_strip_nulls(s.events || ${JSON.stringify(chosen)}::jsonb),
      email = coalesce(${notification_email ?? null}, s.email),
      own_activity = coalesce(${notified_of_own_activity ?? null}::boolean, s.own_activity),
      updated_at = ${tx.now}`.execute(tx.db)
}

/** @throws 400 */
async function assertOwn(tx: Tx, userId: number, email: string): Promise<void> {
  const first = await tx.db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    .where(sql<boolean>`lower(email) = ${email.toLowerCase()}`)
    .executeTakeFirst()
  if (first === undefined && !(await hasConfirmed(tx.db, userId, email)))
    throw invalid({ notification_email: ['must be an email you have verified'] })
}
