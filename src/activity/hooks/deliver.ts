import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { iso } from '#platform/http/time.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { type Lease, LeaseHeld, withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { aboutHook, hookNameOf } from './create-hook.ts'
import type { HookRow } from './entity.ts'
import { DISABLED_AFTER, pauseAfter } from './failures.ts'
import { logHookEvent } from './log-event.ts'
import { hooks } from './queries.ts'
import { type DeliveryResult, type Delivery, sendDelivery, succeeded } from './send-delivery.ts'

/** Deliveries of one hook before others get their turn, and the milliseconds in which they begin. */
const DELIVERIES_PER_TURN = 50
const TURN = 10_000
/** How often a delivery is tried. */
const MAX_ATTEMPTS = 10

/**
 * Sends the deliveries of a hook in order: the next one begins when the one before has ended. One process at a time does
 * so. If it dies after it sent and before it noted that, the delivery is sent again with the same idempotency key.
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
type QueuedDelivery = Delivery & {
  readonly id: number
  readonly payload_id: number
  readonly attempts: number
}

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
    const result = await sendDelivery(hook, next, { outgoing, secrets, site, now, signal: lease.signal })
    await job.transact(async (tx) => {
      await lease.guard(tx)
      await noteResult(tx, hookId, next, result)
    })
  }
}

const isPaused = ({ paused_until }: Pick<HookRow, 'paused_until'>, now: string): boolean =>
  paused_until !== null && Date.parse(iso(paused_until)) > Date.parse(now)

async function nextOf({ db }: JobContext, hookId: number): Promise<QueuedDelivery | undefined> {
  return db
    .selectFrom('hook_deliveries as d')
    .innerJoin('hook_payloads as p', 'p.id', 'd.payload_id')
    .select(['d.id', 'd.payload_id', 'd.idempotency_key', 'd.attempts', 'p.uuid', 'p.event', 'p.data'])
    .where('d.hook_id', '=', hookId)
    .orderBy('d.id')
    .limit(1)
    .executeTakeFirst()
}

/** Notes the result of a delivery, and when the hook is tried again. */
async function noteResult(
  tx: Tx,
  hookId: number,
  delivery: QueuedDelivery,
  result: DeliveryResult,
): Promise<void> {
  const hook = await lockedHook(tx, hookId)
  // Deleted meanwhile, with all its deliveries.
  if (hook === undefined) return
  await logHookEvent(tx, hook, delivery, result)
  const isLast = succeeded(result) || isFinalRefusal(result) || delivery.attempts + 1 >= MAX_ATTEMPTS
  if (isLast) await tx.db.deleteFrom('hook_deliveries').where('id', '=', delivery.id).execute()
  else {
    await tx.db
      .updateTable('hook_deliveries')
      .set({ attempts: delivery.attempts + 1 })
      .where('id', '=', delivery.id)
      .execute()
  }
  await noteOutcome(tx, hook, succeeded(result))
}

const lockedHook = (tx: Tx, id: number) =>
  tx.db
    .selectFrom('hooks')
    .select(['id', 'namespace_id', 'name', 'url', 'failures', 'paused_until'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Whether the receiver would answer the same next time: it refuses the delivery, or redirects it. */
const isFinalRefusal = ({ status }: DeliveryResult): boolean =>
  status !== null && status >= 300 && status < 500 && ![408, 425, 429].includes(status)

type FailureCount = Pick<HookRow, 'id' | 'namespace_id' | 'name' | 'url' | 'failures' | 'paused_until'>

/** Counts failures in a row. @param hook locked */
export async function noteOutcome(tx: Tx, hook: FailureCount, success: boolean): Promise<void> {
  if (success) {
    if (hook.failures > 0) await setFailures(tx, hook.id, 0, null)
    return
  }
  const failures = hook.failures + 1
  const until = new Date(Date.parse(tx.now) + pauseAfter(failures)).toISOString()
  await setFailures(tx, hook.id, failures, until)
  if (failures < DISABLED_AFTER) await enqueue(tx, deliver, { hook_id: hook.id, until }, { runAt: until })
  else {
    // Nobody sends the deliveries that wait, and further ones are not added.
    await tx.db.deleteFrom('hook_deliveries').where('hook_id', '=', hook.id).execute()
    record(tx, { ...aboutHook(hook), name: 'webhook disabled', details: { hook: hookNameOf(hook) } })
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
