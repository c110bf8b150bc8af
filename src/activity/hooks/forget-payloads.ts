import { sql } from 'kysely'
import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'
import { readSettings } from '#platform/settings/settings.ts'

/** Payloads in a transaction. */
const PAYLOADS_PER_TRANSACTION = 500

/** Removes what hooks sent long ago, with what came back, and what could not be sent in all that time. */
export const forgetPayloads = defineTask('hooks/forget-payloads', 'long', Type.Object({}), async (_, job) => {
  const { webhook_logs_retention_days: days } = await readSettings(job.db)
  const before = new Date(job.clock.now().getTime() - days * 24 * 60 * 60_000).toISOString()
  let deleted: bigint
  do {
    job.signal.throwIfAborted()
    const { numAffectedRows = 0n } = await sql`
        delete from hook_payloads where id = any(array(
          select id from hook_payloads where created_at < ${before} order by created_at limit ${PAYLOADS_PER_TRANSACTION}))`.execute(
      job.db,
    )
    deleted = numAffectedRows
  } while (deleted > 0n)
})
