import { sql } from 'kysely'
import { Type } from 'typebox'
import { record } from '#platform/facts/record.ts'
import { dayOf, daysAfter } from '#platform/http/time.ts'
import { defineTask } from '#platform/jobs/task.ts'

interface Due {
  readonly id: number
  readonly namespace_id: number
}

/** Issues recorded in one transaction. */
const ISSUES_PER_TRANSACTION = 500

/** The next open issues that are due on a day, after an id. */
export const dueOn = (day: string, after: number) => sql<Due>`
  select i.id, p.project_namespace_id as namespace_id
  from issues i join projects p on p.id = i.project_id
  where i.state = 'opened' and i.due_date = ${day}::date and i.id > ${after}
  order by i.id limit ${ISSUES_PER_TRANSACTION}`

/** Records of every open issue that is due tomorrow that it is. What was recorded twice is told once. */
export const findDueIssues = defineTask(
  'notifications/due-issues',
  'long',
  Type.Object({}),
  async (_, job) => {
    const tomorrow = daysAfter(dayOf(job.clock.now()), 1)
    for (let after: number | undefined = 0; after !== undefined;) {
      job.signal.throwIfAborted()
      const from: number = after
      after = await job.transact(async (tx) => {
        const { rows } = await dueOn(tomorrow, from).execute(tx.db)
        for (const { id, namespace_id } of rows) {
          record(tx, {
            name: 'issue due',
            namespace: namespace_id,
            target: { type: 'Issue', id },
            details: { due_date: tomorrow },
          })
        }
        return rows.at(-1)?.id
      })
    }
  },
)
