import { sql } from 'kysely'
import { Type } from 'typebox'
import { withLease } from '#platform/jobs/lease.ts'
import { RowRemover } from '#platform/jobs/remove-rows.ts'
import { defineTask } from '#platform/jobs/task.ts'

/** Days for which a deleted page may come back with its notes, as when somebody takes a commit back. */
const DAYS = 30

/** Removes what was said about pages that were deleted some time ago. */
export const forgetPages = defineTask('wikis/forget-pages', 'long', Type.Object({}), (_, job) =>
  withLease(job, 'forget wiki pages', async (lease) => {
    const remover = await RowRemover.open(job, lease)
    const before = new Date(job.clock.now().getTime() - DAYS * 86_400_000).toISOString()
    await remover.removeAll(
      'wiki_pages',
      (limit) => sql<{ id: number }>`
        select id from wiki_pages where deleted_at < ${before} order by deleted_at limit ${limit}`,
    )
  }),
)
