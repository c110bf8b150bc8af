import { sql } from 'kysely'
import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'
import { collectEvidence } from './evidence.ts'

/** Releases in one transaction. */
const RELEASES_PER_TRANSACTION = 20
/** Releases whose time came earlier than that had their chance. */
const LATE = '1 day'

/** Runs every minute and collects the evidence of upcoming releases whose time has come. */
export const collectDueEvidence = defineTask(
  'releases/collect-evidence',
  'short',
  Type.Object({}),
  async (_, job) => {
    let done: number
    do {
      job.signal.throwIfAborted()
      done = await job.transact(async (tx) => {
        const { rows } = await sql<{ id: number }>`
        select r.id from releases r
        where r.released_at between ${tx.now}::timestamptz - ${LATE}::interval and ${tx.now}::timestamptz
          and r.created_at < r.released_at and not exists (select from release_evidences e where e.release_id = r.id)
        order by r.released_at, r.id limit ${RELEASES_PER_TRANSACTION} for no key update of r skip locked`.execute(
          tx.db,
        )
        for (const { id } of rows) await collectEvidence(tx, id)
        return rows.length
      })
    } while (done > 0)
  },
)
