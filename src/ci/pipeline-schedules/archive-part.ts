import { sql } from 'kysely'
import { Type } from 'typebox'
import { definePart } from '#code/archives/part.ts'
import { recordset } from '#platform/db/recordset.ts'
import { text } from '#platform/http/schema.ts'
import { checkTimes } from './next-moment.ts'

/** Whatever the limits of the servers are. */
const MOST = 10_000
const AT_ONCE = 100

/** The schedules of a project, without their variables, which are secret. Read into another project they are off, until somebody wants them. */
export const archivedSchedules = definePart({
  name: 'pipeline_schedules',
  most: MOST,
  row: Type.Object({
    description: text({ filled: true }),
    ref: text({ max: 1_024, filled: true }),
    cron: text({ filled: true }),
    cron_timezone: text({ filled: true }),
  }),
  readAfter: (db, { id }, last) =>
    db
      .selectFrom('pipeline_schedules')
      .select(['id', 'description', 'ref', 'cron', 'cron_timezone'])
      .where('project_id', '=', id)
      .where('id', '>', last?.id ?? 0)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute(),
  async write(tx, { id }, rows) {
    for (const { cron, cron_timezone } of rows) checkTimes(cron, cron_timezone)
    const values = rows.map((row) => ({ ...row, owner_id: tx.author?.id ?? null }))
    await sql`
      insert into pipeline_schedules (project_id, description, ref, cron, cron_timezone, active, owner_id, created_at, updated_at)
      select ${id}, x.description, x.ref, x.cron, x.cron_timezone, false, x.owner_id, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from ${recordset('pipeline_schedules', values)} as x`.execute(tx.db)
  },
})
