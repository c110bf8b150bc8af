import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { iso } from '#platform/http/time.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { type Lease, LeaseHeld, withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { aboutHook, nameOf } from './create-hook.ts'
import type { HookRow } from './entity.ts'
import { DISABLED_AFTER, pauseAfter } from './failures.ts'
import { logAttempt } from './log-attempt.ts'
import { hooks } from './queries.ts'
import { type Attempt, type Delivery, sendDelivery, succeeded } from './send-delivery.ts'

/** Deliveries of one hook before others get their turn, and the milliseconds in which they begin. */
const DELIVERIES_PER_TURN = 50
const TURN = 10_000
/** How often a delivery is tried. */
const ATTEMPTS = 10

/**
 * Sends what a hook is to be told, in order: the next delivery begins when the one before has ended. A process at a time
 * does so. If it dies after it sent and before it noted that, the delivery is sent again with the same idempotency key.
 */
export const deliver = defineTask(
  'hooks/deliver',
  'deliveries',
  // `until`: the job comes when this pause ends.
  Type.Object({ hook_id: Type.Integer(), until: Type.Optional(Type.String()) }),
  async ({ hook_id, until }, job) => {
    try {
      await withLease(job, `deliveries of hook ${hook_id}`, (lease) =>
        deliverSome(job, { hookId: hook_id, until }, lease),
      )
    } catch (error) {
      // Whoever holds it looks once more when it is done.
      if (error instanceof LeaseHeld) return
      throw error
    }
    // A job may have come to nothing because of this one, just before it ended.
    await job.transact((tx) => wakeIfDue(tx, hook_id, job.clock.now()))
  },
)

/** A delivery with its payload. */
type Pending = Delivery & { readonly id: number; readonly payload_id: number; readonly attempts: number }

interface Turn {
  readonly hookId: number
  readonly until: string | undefined
}

async function deliverSome(job: JobContext, { hookId, until }: Turn, lease: Lease): Promise<void> {
  const begun = performance.now()
  for (let count = 0; count < DELIVERIES_PER_TURN && performance.now() - begun < TURN; count += 1) {
    lease.signal.throwIfAborted()
    const hook = await hooks(job.db).where('h.id', '=', hookId).executeTakeFirst()
    if (hook === undefined || hook.failures >= DISABLED_AFTER) return
    if (isPaused(hook, until ?? job.clock.now().toISOString())) return
    const next = await nextOf(job, hookId)
    if (next === undefined) return
    const { config, outgoing, secrets } = job
    const site = config.externalUrl ?? hook.site
    const now = job.clock.now()
    const attempt = await sendDelivery(hook, next, { outgoing, secrets, site, now, signal: lease.signal })
    await job.transact(async (tx) => {
      await lease.guard(tx)
      await noteAttempt(tx, hookId, next, attempt)
    })
  }
}

const isPaused = ({ paused_until }: Pick<HookRow, 'paused_until'>, now: string): boolean =>
  paused_until !== null && Date.parse(iso(paused_until)) > Date.parse(now)

async function nextOf({ db }: JobContext, hookId: number): Promise<Pending | undefined> {
  return db
    .selectFrom('hook_deliveries as d')
    .innerJoin('hook_payloads as p', 'p.id', 'd.payload_id')
    .select(['d.id', 'd.payload_id', 'd.idempotency_key', 'd.attempts', 'p.uuid', 'p.event', 'p.data'])
    .where('d.hook_id', '=', hookId)
    .orderBy('d.id')
    .limit(1)
    .executeTakeFirst()
}

/** Notes what came of a delivery, and when the hook is tried again. */
async function noteAttempt(tx: Tx, hookId: number, delivery: Pending, attempt: Attempt): Promise<void> {
  const hook = await lockedHook(tx, hookId)
  // Deleted meanwhile, with all that it was to be told.
  if (hook === undefined) return
  await logAttempt(tx, hook, delivery, attempt)
  const isLast = succeeded(attempt) || isRefused(attempt) || delivery.attempts + 1 >= ATTEMPTS
  if (isLast) await tx.db.deleteFrom('hook_deliveries').where('id', '=', delivery.id).execute()
  else {
    await tx.db
      .updateTable('hook_deliveries')
      .set({ attempts: delivery.attempts + 1 })
      .where('id', '=', delivery.id)
      .execute()
  }
  await noteOutcome(tx, hook, succeeded(attempt))
}

const lockedHook = (tx: Tx, id: number) =>
  tx.db
    .selectFrom('hooks')
    .select(['id', 'namespace_id', 'name', 'url', 'failures', 'paused_until'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** An answer that would be the same next time: the receiver does not want it, or leads elsewhere. */
const isRefused = ({ status }: Attempt): boolean =>
  status !== null && status >= 300 && status < 500 && ![408, 425, 429].includes(status)

type Outcome = Pick<HookRow, 'id' | 'namespace_id' | 'name' | 'url' | 'failures' | 'paused_until'>

/** Counts failures in a row. @param hook locked */
export async function noteOutcome(tx: Tx, hook: Outcome, success: boolean): Promise<void> {
  if (success) {
    if (hook.failures > 0) await setFailures(tx, hook.id, 0, null)
    return
  }
  const failures = hook.failures + 1
  const until = new Date(Date.parse(tx.now) + pauseAfter(failures)).toISOString()
  await setFailures(tx, hook.id, failures, until)
  if (failures < DISABLED_AFTER) await enqueue(tx, deliver, { hook_id: hook.id, until }, { runAt: until })
  else {
    // Nobody sends what waits, and events to come are not kept either.
    await tx.db.deleteFrom('hook_deliveries').where('hook_id', '=', hook.id).execute()
    record(tx, { ...aboutHook(hook), name: 'webhook disabled', details: { hook: nameOf(hook) } })
  }
}

async function setFailures(tx: Tx, id: number, failures: number, paused_until: string | null): Promise<void> {
  await tx.db.updateTable('hooks').set({ failures, paused_until }).where('id', '=', id).execute()
}

/** Milliseconds before the end of a pause in which a job may have come too early and gone again. */
const SOON = 1_000

/** Adds a job where there is something to send now or in a moment. */
export async function wakeIfDue(tx: Tx, hookId: number, now: Date): Promise<void> {
  const soon = new Date(now.getTime() + SOON).toISOString()
  const { rows } = await sql<{ paused_until: string | null }>`
    select h.paused_until from hooks h where h.id = ${hookId} and h.failures < ${DISABLED_AFTER}
      and (h.paused_until is null or h.paused_until <= ${soon})
      and exists (select 1 from hook_deliveries d where d.hook_id = h.id)`.execute(tx.db)
  const [row] = rows
  if (row === undefined) return
  if (row.paused_until === null) await enqueue(tx, deliver, { hook_id: hookId })
  else {
    const until = iso(row.paused_until)
    await enqueue(tx, deliver, { hook_id: hookId, until }, { runAt: until })
  }
}
