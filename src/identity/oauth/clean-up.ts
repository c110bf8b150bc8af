import { sql } from 'kysely'
import { Type } from 'typebox'
import { withLease } from '#platform/jobs/lease.ts'
import { RowRemover } from '#platform/jobs/remove-rows.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { secondsAfter } from './lifetimes.ts'

/** Seconds for which ended rows are kept, so that clients still learn why something does not work. */
const KEPT = 86_400

/** Removes ended rows. The access tokens of a consent go with it, at the latest. */
export const cleanUpOAuth = defineTask('oauth/clean-up', 'long', Type.Object({}), (_, job) =>
  withLease(job, 'clean up OAuth', async (lease) => {
    const before = secondsAfter(job.clock.now().toISOString(), -KEPT)
    const remover = await RowRemover.open(job, lease)
    for (const table of ['oauth_device_codes', 'oauth_access_tokens', 'oauth_grants']) {
      await remover.removeAll(
        table,
        (limit) => sql<{ id: number }>`
          select id from ${sql.table(table)} where ends_at < ${before}::timestamptz order by ends_at limit ${limit}`,
      )
    }
  }),
)
