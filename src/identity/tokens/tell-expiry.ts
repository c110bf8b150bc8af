import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { dayOf } from '#platform/http/time.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { mailExpiry } from './mail-expiry.ts'

/** Days before the end of a token at which notices are due, farthest first. */
const NOTICES = [60, 30, 7, 1] as const

/** Tokens handled in one transaction. */
const TOKENS_PER_TRANSACTION = 500

interface Ending {
  readonly id: number
  readonly name: string
  readonly namespace_id: number | null
  readonly expires_at: string
  readonly days: (typeof NOTICES)[number]
}

/**
 * Records for every token that expires soon that it does. Each notice is given once, even when the job runs twice. When
 * the job misses one, a later run gives it, unless the next notice is due.
 */
export const tellOfExpiry = defineTask('tokens/tell-expiry', 'short', Type.Object({}), async (_, job) => {
  let told: number
  do {
    job.signal.throwIfAborted()
    told = await job.transact((tx) => tellOfSome(tx, job.mail?.site))
  } while (told > 0)
})

/** @param site where links in mails lead; undefined where the instance sends none. */
async function tellOfSome(tx: Tx, site: string | undefined): Promise<number> {
  const { rows } = await sql<Ending>`
    with ending as (
      select t.id, due.days from access_tokens t
      cross join lateral (
        select days from unnest(${[...NOTICES]}::integer[]) as days
        where t.expires_at - days <= ${dayOf(tx.now)}::date order by days limit 1) as due
      where t.expires_at > ${dayOf(tx.now)}::date and t.expires_at <= ${dayOf(tx.now)}::date + ${NOTICES[0]}::integer
        and t.revoked_at is null and t.kind <> 'impersonation'
        and (t.told_days is null or t.told_days > due.days)
        -- Who makes a token for a week need not be told on the same day that it ends in a week.
        and t.expires_at - due.days > t.created_at::date
      order by t.expires_at, t.id limit ${TOKENS_PER_TRANSACTION}
      for update of t skip locked)
    update access_tokens t set told_days = ending.days from ending where t.id = ending.id
    returning t.id, t.name, t.namespace_id, t.expires_at, t.told_days as days`.execute(tx.db)
  for (const { id, name, namespace_id: namespace, expires_at, days } of rows) {
    const target = { type: 'AccessToken', id }
    record(tx, { name: 'token expires soon', namespace, target, details: { name, expires_at, days } })
  }
  if (site !== undefined) await mailExpiry(tx, rows, site)
  return rows.length
}
