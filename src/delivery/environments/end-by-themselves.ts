import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { environmentColumns } from './entity.ts'
import { hideEnvironments, type LockedEnvironment } from './hide-environments.ts'
import { beginToStop } from './stop-environment.ts'

/** Environments in one transaction. */
const ENVIRONMENTS_PER_TRANSACTION = 100

/** Runs every minute and stops the environments whose time has come. */
export const stopEnvironments = defineTask('environments/stop', 'short', Type.Object({}), (_, job) =>
  inBatches(job, async (tx) => {
    const due = await locked(tx, sql`e.state = 'available' and e.auto_stop_at <= ${tx.now}::timestamptz`)
    for (const { namespace, ...environment } of due) await beginToStop(tx, namespace, environment, true)
    return due.length
  }),
)

/** Runs every day and deletes the review apps that somebody wanted to be deleted, unless they have started since. */
export const deleteEnvironments = defineTask('environments/delete', 'long', Type.Object({}), (_, job) =>
  inBatches(job, async (tx) => {
    const due = await locked(tx, sql`e.state = 'stopped' and e.auto_delete_at <= ${tx.now}::timestamptz`)
    await hideEnvironments(tx, due)
    return due.length
  }),
)

async function inBatches(job: JobContext, work: (tx: Tx) => Promise<number>): Promise<void> {
  let done: number
  do {
    job.signal.throwIfAborted()
    done = await job.transact(work)
  } while (done > 0)
}

/** Some environments of that condition that nobody else is changing, by id. */
async function locked(tx: Tx, condition: ReturnType<typeof sql>) {
  const { rows } = await sql<LockedEnvironment>`
    select ${sql.join(environmentColumns.map((name) => sql.ref(`e.${name}`)))}, p.project_namespace_id as namespace
    from environments e join projects p on p.id = e.project_id
    where e.deleted_at is null and ${condition} order by e.id limit ${ENVIRONMENTS_PER_TRANSACTION} for update of e skip locked`.execute(
    tx.db,
  )
  return rows
}
