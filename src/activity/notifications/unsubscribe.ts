import { sql } from 'kysely'
import { changeSettings } from '#activity/notification-settings/change-settings.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Unsubscription } from './unsubscribe-link.ts'

/** Ends mails, as a link in one of them asks. Nothing happens where the noteable, the place or the user is gone. */
export async function unsubscribe(tx: Tx, { userId, from }: Unsubscription): Promise<void> {
  if ('noteable' in from) {
    await sql`
      insert into subscriptions (noteable_id, user_id, subscribed)
      select t.id, u.id, false from noteables t, users u where t.id = ${from.noteable} and u.id = ${userId}
      on conflict (noteable_id, user_id) do update set subscribed = false`.execute(tx.db)
    return
  }
  const { rows } = await sql`
    select 1 from namespaces n, users u where n.id = ${from.namespace} and u.id = ${userId}`.execute(tx.db)
  if (rows.length > 0) await changeSettings(tx, userId, from.namespace, { level: 'disabled' })
}
