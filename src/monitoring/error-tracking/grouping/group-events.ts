import { sql } from 'kysely'
import { Type } from 'typebox'
import { passingReason } from '#platform/db/errors.ts'
import { isTextFree } from '#platform/db/locks.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { type ArrivedRow, readArrived } from './read-arrived.ts'
import { writeErrors } from './write-errors.ts'

/** Events in a transaction. */
const EVENTS_PER_TRANSACTION = 500
/** Milliseconds after which a job leaves the rest to the next one. */
const RUN = 20_000

/**
 * Groups what has arrived into errors. Each event is taken away in the transaction that counts it, so it is counted
 * once. One job in the cluster does so at a time; another one that comes meanwhile has nothing to do, because the first
 * looks again after it let the others in.
 */
export const groupEvents = defineTask(
  'error-tracking/group-events',
  'short',
  Type.Object({}),
  async (_, job) => {
    const until = performance.now() + RUN
    let size = EVENTS_PER_TRANSACTION
    for (;;) {
      job.signal.throwIfAborted()
      const done = await groupBatch(job, size).catch((error: unknown) => {
        if (passingReason(error) !== undefined) throw error
        job.log.error({ err: error, size }, 'events could not be grouped')
        return 'failed' as const
      })
      if (done === 'failed') {
        // An event that nobody foresaw must not keep the others waiting.
        if (size === 1) await job.transact((tx) => takeOldest(tx.db, 1))
        size = size === 1 ? EVENTS_PER_TRANSACTION : 1
        continue
      }
      if (done === 'busy') return
      if (done === 0 && !(await isWaiting(job))) return
      if (performance.now() > until) {
        await job.transact((tx) => enqueue(tx, groupEvents, {}))
        return
      }
    }
  },
)

/** @returns how many events were grouped; `busy` while another job does it. */
function groupBatch(job: JobContext, size: number): Promise<number | 'busy'> {
  return job.transact(async (tx) => {
    if (!(await isTextFree(tx, 'grouping of errors'))) return 'busy'
    const rows = await takeOldest(tx.db, size)
    await writeErrors(tx, readArrived(rows, job.log))
    return rows.length
  })
}

async function takeOldest(db: JobContext['db'], count: number): Promise<ArrivedRow[]> {
  const { rows } = await sql<ArrivedRow>`
    delete from error_inbox where id = any(array(select id from error_inbox order by id limit ${count}))
    returning id, project_id, received_at, event`.execute(db)
  return rows.toSorted((one, other) => one.id - other.id)
}

async function isWaiting({ db }: JobContext): Promise<boolean> {
  const { rows } = await sql`select 1 from error_inbox limit 1`.execute(db)
  return rows.length > 0
}
