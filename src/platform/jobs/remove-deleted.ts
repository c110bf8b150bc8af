import { sql } from 'kysely'
import { Type } from 'typebox'
import { withLease } from './lease.ts'
import { RowRemover } from './remove-rows.ts'
import { defineTask } from './task.ts'

/**
 * A job that removes the rows of a table that have a `deleted_at`, with everything that refers to them. Whoever deletes one hides it by
 * that column and adds the job.
 * @param name of the job
 * @param table has the columns `id` and `deleted_at`
 */
export const removingDeleted = (name: string, table: string) => {
  const rows = table.replaceAll('_', ' ')
  return defineTask(name, 'long', Type.Object({}), (_, job) =>
    withLease(job, `remove ${rows}`, async (lease) => {
      const remover = await RowRemover.open(job, lease)
      await remover.removeAll(
        table,
        (limit) => sql<{ id: number }>`
          select id from ${sql.table(table)} where deleted_at is not null order by id limit ${limit}`,
      )
      job.log.info({ rows: remover.removed }, `removed ${rows} that were deleted`)
    }),
  )
}
