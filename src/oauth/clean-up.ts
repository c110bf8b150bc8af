import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import { defineTask, type JobContext } from '#jobs/task.ts'
import { secondsAfter } from './lifetimes.ts'

/** How long what has ended is kept, in seconds: so long those who use it still hear why it does not work. */
const KEPT = 86_400

/** Rows in a statement: none is long, however much there is. */
const BATCH = 1_000

/** Takes away what has ended. Access tokens of a consent go with it, at the latest. */
export const cleanUpOAuth = defineTask('oauth/clean-up', 'long', Type.Object({}), async (_, job) => {
  const before = secondsAfter(job.clock.now().toISOString(), -KEPT)
  for (const table of ['oauth_device_codes', 'oauth_access_tokens', 'oauth_grants'] as const) {
    await inBatches(
      job,
      sql`delete from ${sql.table(table)} where id in (
        select id from ${sql.table(table)} where ends_at < ${before}::timestamptz order by ends_at limit ${BATCH})`,
    )
  }
})

async function inBatches({ db, signal }: JobContext, deleting: RawBuilder<unknown>): Promise<void> {
  let deleted: bigint
  do {
    // The process is about to stop; the job runs again elsewhere.
    signal.throwIfAborted()
    const { numAffectedRows = 0n } = await deleting.execute(db)
    deleted = numAffectedRows
  } while (deleted > 0n)
}
