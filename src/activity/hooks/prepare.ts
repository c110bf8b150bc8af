import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { filterInSlices } from '#platform/client-pattern.ts'
import { iso } from '#platform/http/time.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { append } from '#platform/sequences.ts'
import { wantsBranch } from './branch-filter.ts'
import { deliver } from './deliver.ts'
import type { HookRow } from './entity.ts'
import { type HookPayload, type StoredFact } from './payloads/kind.ts'
import { payloadKindOf } from './payloads/kinds.ts'
import { DISABLED_AFTER } from './failures.ts'
import { logUnsent } from './log-event.ts'
import { hooks } from './queries.ts'
import { PREPARE } from './shards.ts'
import { triggerInLog } from './triggers.ts'

/** Transactions whose facts one job makes deliveries of. */
const TRANSACTIONS_PER_JOB = 100
/** How often deliveries of a fact are tried to be made. Without them, further facts of its project or group wait. */
const MAX_TRIES = 10
/** Seconds between two tries at most. All tries together take five minutes. */
const MAX_PAUSE = 60
/** A fact that has waited this many milliseconds, perhaps behind others, is tried again every so many seconds. */
const LATE_AFTER_MS = 5 * 60_000
const LATE_PAUSE = 10
/** Bytes of a payload. */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024

/**
 * Makes deliveries of the facts of a shard, the oldest first. It makes each payload once for all hooks. The transaction
 * that adds the deliveries of a fact also deletes the fact, so several such jobs never deliver it twice or out of order.
 * A fact that has no payload yet, for example because a repository cannot be read, waits for its next try. Meanwhile
 * further facts of its project or group wait too, and no others.
 */
export const prepareDeliveries = defineTask(
  PREPARE,
  'short',
  Type.Object({ shard: Type.Integer() }),
  async ({ shard }, job) => {
    for (let count = 0; count < TRANSACTIONS_PER_JOB; count += 1) {
      job.signal.throwIfAborted()
      const facts = await oldestFacts(job, shard)
      if (facts.length === 0) return
      try {
        await prepare(job, facts)
      } catch (error) {
        job.signal.throwIfAborted()
        await noteFailure(job, facts, error)
      }
    }
    await job.transact((tx) => enqueue(tx, prepareDeliveries, { shard }))
  },
)

/** A row of `hook_facts`. */
type QueuedFact = StoredFact & {
  readonly shard: number
  readonly chain: readonly number[]
  readonly tries: number
}

/** The facts of one transaction: the one with the oldest fact that need not wait. */
async function oldestFacts({ db }: JobContext, shard: number): Promise<QueuedFact[]> {
  const free = sql`shard = ${shard} and coalesce(namespace_id, 0) <> all (array(
    select coalesce(namespace_id, 0) from hook_facts where shard = ${shard} and retry_at > now()))`
  const { rows } = await sql<QueuedFact>`
    select id, shard, name, at, actor_id as "actorId", namespace_id as namespace, details, seen, chain, tries,
      case when target_id is not null then json_build_object('type', target_type, 'id', target_id) end as target
    from hook_facts where ${free} and xact_id = (select xact_id from hook_facts where ${free} order by id limit 1)
    order by id`.execute(db)
  return rows
}

/** Notes when facts are tried again, and adds the job that does so; or gives them up. */
async function noteFailure(job: JobContext, facts: readonly QueuedFact[], error: unknown): Promise<void> {
  const ids = facts.map(({ id }) => id)
  const [{ shard, tries, at } = { shard: 0, tries: 0, at: '' }] = facts
  const details = { err: error, facts: facts.map(({ name }) => name) }
  if (tries + 1 >= MAX_TRIES) {
    job.log.error(details, 'webhooks are not told of facts')
    await sql`delete from hook_facts where id = any(${ids}::bigint[])`.execute(job.db)
    return
  }
  job.log.warn(details, 'webhooks cannot be told of facts yet')
  const late = Date.parse(iso(at)) < job.clock.now().getTime() - LATE_AFTER_MS
  const seconds = late ? LATE_PAUSE : Math.min(2 ** (tries + 1), MAX_PAUSE)
  await job.transact(async (tx) => {
    // Not if another job failed with them at the same moment.
    const { rows } = await sql<{ retry_at: string }>`
      update hook_facts set tries = tries + 1, retry_at = now() + make_interval(secs => ${seconds})
      where id = any(${ids}::bigint[]) and tries = ${tries} returning retry_at`.execute(tx.db)
    const [row] = rows
    if (row !== undefined) await enqueue(tx, prepareDeliveries, { shard }, { runAt: row.retry_at })
  })
}

/** A payload, and the hooks that want it. */
interface PayloadForHooks {
  readonly payload: HookPayload
  readonly data: string
  readonly hooks: readonly HookRow[]
}

async function prepare(job: JobContext, facts: readonly QueuedFact[]): Promise<void> {
  const payloads: PayloadForHooks[] = []
  for (const group of groupsOf(facts)) append(payloads, await payloadsOf(job, group))
  const ids = facts.map(({ id }) => id)
  await job.transact(async (tx) => {
    const { rows } = await sql`
      delete from hook_facts where id = any(${ids}::bigint[]) returning id`.execute(tx.db)
    // Another job was first.
    if (rows.length < ids.length) return
    for (const payload of payloads) await addDeliveries(tx, payload)
    const woken = new Set(payloads.flatMap(({ hooks }) => hooks.map(({ id }) => id)))
    for (const id of woken) await enqueue(tx, deliver, { hook_id: id })
  })
}

/** Groups the facts of which payloads are made together. The groups are in the order of their first facts. */
function groupsOf(facts: readonly QueuedFact[]): QueuedFact[][] {
  const groups = new Map<string, QueuedFact[]>()
  for (const fact of facts) {
    const kind = payloadKindOf.get(fact.name)
    if (kind === undefined) continue
    const about = kind.together ? fact.namespace : `${fact.target?.type} ${fact.target?.id}`
    const key = `${kind.facts[0]} ${about}`
    groups.set(key, [...(groups.get(key) ?? []), fact])
  }
  return [...groups.values()]
}

async function payloadsOf(job: JobContext, facts: readonly QueuedFact[]): Promise<PayloadForHooks[]> {
  const [first] = facts
  const kind = first && payloadKindOf.get(first.name)
  if (first === undefined || kind === undefined) return []
  const { db, config, repositories, settings, currentPlan, clock, sshSite } = job
  const all = await hooksAbove(job, first.chain)
  // The pages have one address, unless nobody configured it and people reach this server by several.
  const sites = Map.groupBy(all, ({ site }) => config.externalUrl ?? site)
  const payloads: PayloadForHooks[] = []
  for (const [site, some] of sites) {
    const context = { db, repositories, settings: settings(), currentPlan, site, sshSite, now: clock.now() }
    for (const payload of await kind.build(facts, context)) {
      const wanting = await filterInSlices(some, (hook) => wants(hook, payload))
      if (wanting.length > 0) payloads.push({ payload, data: JSON.stringify(payload.data), hooks: wanting })
    }
  }
  return payloads
}

/**
 * The hooks of some namespaces and of the instance, without those that are disabled. Group hooks count only while the
 * plan has them.
 */
const hooksAbove = ({ db, currentPlan }: JobContext, namespaceIds: readonly number[]): Promise<HookRow[]> =>
  hooks(db)
    .where(sql<boolean>`(h.namespace_id = any(${[...namespaceIds]}::bigint[]) or h.namespace_id is null)`)
    .where('h.failures', '<', DISABLED_AFTER)
    .$if(currentPlan() === 'free', (q) => q.where(sql<boolean>`not ${isOfGroup}`))
    .orderBy('h.id')
    .execute()

const isOfGroup = sql`exists (select 1 from namespaces n where n.id = h.namespace_id and n.kind = 'group')`

function wants(hook: HookRow, { to, triggers, branch }: HookPayload): boolean {
  if ((hook.namespace_id === null) !== (to === 'system hooks')) return false
  if (!triggers.every((trigger) => hook.triggers.includes(trigger))) return false
  return branch === undefined || wantsBranch(hook, branch)
}

async function addDeliveries(tx: Tx, { payload, data, hooks: receivers }: PayloadForHooks): Promise<void> {
  const tooLarge = Buffer.byteLength(data) > MAX_PAYLOAD_BYTES
  const [trigger] = payload.triggers
  const { id } = await tx.db
    .insertInto('hook_payloads')
    .values({
      trigger: triggerInLog(payload.triggers.length === 0 ? 'system' : (trigger ?? 'system')),
      event: payload.to === 'system hooks' ? 'System Hook' : payload.name,
      data: tooLarge ? '{}' : data,
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (tooLarge) {
    for (const hook of receivers)
      await logUnsent(tx, hook, id, `The payload is larger than ${MAX_PAYLOAD_BYTES} bytes`)
    return
  }
  // Hooks may have been deleted since.
  await sql`
    insert into hook_deliveries (hook_id, payload_id)
    select h.id, ${id}::bigint from hooks h where h.id = any(${receivers.map(({ id: hookId }) => hookId)}::bigint[])
    order by h.id for key share`.execute(tx.db)
}
