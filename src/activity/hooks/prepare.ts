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
import { type HookEvent, type StoredEvent } from './events/kind.ts'
import { kindOf } from './events/kinds.ts'
import { DISABLED_AFTER } from './failures.ts'
import { logUnsent } from './log-attempt.ts'
import { hooks } from './queries.ts'
import { PREPARE } from './shards.ts'
import { loggedTrigger } from './triggers.ts'

/** Transactions whose facts one job makes deliveries of. */
const TRANSACTIONS_PER_JOB = 100
/** How often deliveries of a fact are tried to be made. Without them, further facts of its project or group wait. */
const TRIES = 10
/** Seconds between two tries at most. All tries together take five minutes. */
const LONGEST_PAUSE = 60
/** Milliseconds after which a fact has waited for long behind others, and seconds between its tries then. */
const PATIENCE = 5 * 60_000
const LATE_PAUSE = 10
/** Bytes of a payload. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Makes deliveries of the facts of a shard, the oldest first. Each payload is made once for all hooks. Facts are taken
 * away in the transaction that adds their deliveries, so however many such jobs there are, each fact is told once and in
 * its turn. What cannot be told now, for example because a repository cannot be read, waits for its next try. Meanwhile
 * its project or group waits, and nobody else.
 */
export const prepareDeliveries = defineTask(
  PREPARE,
  'short',
  Type.Object({ shard: Type.Integer() }),
  async ({ shard }, job) => {
    for (let count = 0; count < TRANSACTIONS_PER_JOB; count += 1) {
      job.signal.throwIfAborted()
      const facts = await oldest(job, shard)
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

/** A fact as it waits here. */
type QueuedEvent = StoredEvent & {
  readonly shard: number
  readonly chain: readonly number[]
  readonly tries: number
}

/** The facts of the transaction whose first fact is the oldest of those that need not wait. */
async function oldest({ db }: JobContext, shard: number): Promise<QueuedEvent[]> {
  const free = sql`shard = ${shard} and coalesce(namespace_id, 0) <> all (array(
    select coalesce(namespace_id, 0) from hook_facts where shard = ${shard} and retry_at > now()))`
  const { rows } = await sql<QueuedEvent>`
    select id, shard, name, at, actor_id as "actorId", namespace_id as namespace, details, seen, chain, tries,
      case when target_id is not null then json_build_object('type', target_type, 'id', target_id) end as target
    from hook_facts where ${free} and xact_id = (select xact_id from hook_facts where ${free} order by id limit 1)
    order by id`.execute(db)
  return rows
}

/** Notes when facts are tried again, and adds the job that does so; or gives them up. */
async function noteFailure(job: JobContext, facts: readonly QueuedEvent[], error: unknown): Promise<void> {
  const ids = facts.map(({ id }) => id)
  const [{ shard, tries, at } = { shard: 0, tries: 0, at: '' }] = facts
  const details = { err: error, facts: facts.map(({ name }) => name) }
  if (tries + 1 >= TRIES) {
    job.log.error(details, 'webhooks are not told of facts')
    await sql`delete from hook_facts where id = any(${ids}::bigint[])`.execute(job.db)
    return
  }
  job.log.warn(details, 'webhooks cannot be told of facts yet')
  const late = Date.parse(iso(at)) < job.clock.now().getTime() - PATIENCE
  const seconds = late ? LATE_PAUSE : Math.min(2 ** (tries + 1), LONGEST_PAUSE)
  await job.transact(async (tx) => {
    // Not if another job failed with them at the same moment.
    const { rows } = await sql<{ retry_at: string }>`
      update hook_facts set tries = tries + 1, retry_at = now() + make_interval(secs => ${seconds})
      where id = any(${ids}::bigint[]) and tries = ${tries} returning retry_at`.execute(tx.db)
    const [row] = rows
    if (row !== undefined) await enqueue(tx, prepareDeliveries, { shard }, { runAt: row.retry_at })
  })
}

/** An event, and the hooks that are to be told of it. */
interface EventForHooks {
  readonly event: HookEvent
  readonly data: string
  readonly hooks: readonly HookRow[]
}

async function prepare(job: JobContext, facts: readonly QueuedEvent[]): Promise<void> {
  const told: EventForHooks[] = []
  for (const group of groupsOf(facts)) append(told, await tell(job, group))
  const ids = facts.map(({ id }) => id)
  await job.transact(async (tx) => {
    const { rows } = await sql`
      delete from hook_facts where id = any(${ids}::bigint[]) returning id`.execute(tx.db)
    // Another job was first.
    if (rows.length < ids.length) return
    for (const one of told) await addDeliveries(tx, one)
    const woken = new Set(told.flatMap(({ hooks }) => hooks.map(({ id }) => id)))
    for (const id of woken) await enqueue(tx, deliver, { hook_id: id })
  })
}

/** Facts that become one event, or several together, in the order in which they begin. */
function groupsOf(facts: readonly QueuedEvent[]): QueuedEvent[][] {
  const groups = new Map<string, QueuedEvent[]>()
  for (const fact of facts) {
    const kind = kindOf.get(fact.name)
    if (kind === undefined) continue
    const about = kind.together ? fact.namespace : `${fact.target?.type} ${fact.target?.id}`
    const key = `${kind.facts[0]} ${about}`
    groups.set(key, [...(groups.get(key) ?? []), fact])
  }
  return [...groups.values()]
}

async function tell(job: JobContext, facts: readonly QueuedEvent[]): Promise<EventForHooks[]> {
  const [first] = facts
  const kind = first && kindOf.get(first.name)
  if (first === undefined || kind === undefined) return []
  const { db, config, repositories, settings, currentPlan, clock } = job
  const all = await hooksAbove(job, first.chain)
  // The pages have one address, unless nobody configured it and people reach this server by several.
  const sites = Map.groupBy(all, ({ site }) => config.externalUrl ?? site)
  const told: EventForHooks[] = []
  for (const [site, some] of sites) {
    const context = { db, repositories, settings: settings(), currentPlan, site, now: clock.now() }
    for (const event of await kind.build(facts, context)) {
      const wanting = await filterInSlices(some, (hook) => wants(hook, event))
      if (wanting.length > 0) told.push({ event, data: JSON.stringify(event.data), hooks: wanting })
    }
  }
  return told
}

/**
 * The hooks of the namespaces and of the instance. Those that are disabled are told nothing, nor are those of groups
 * while the plan does not have them.
 */
const hooksAbove = ({ db, currentPlan }: JobContext, chain: readonly number[]): Promise<HookRow[]> =>
  hooks(db)
    .where(sql<boolean>`(h.namespace_id = any(${[...chain]}::bigint[]) or h.namespace_id is null)`)
    .where('h.failures', '<', DISABLED_AFTER)
    .$if(currentPlan() === 'free', (q) => q.where(sql<boolean>`not ${isOfGroup}`))
    .orderBy('h.id')
    .execute()

const isOfGroup = sql`exists (select 1 from namespaces n where n.id = h.namespace_id and n.kind = 'group')`

function wants(hook: HookRow, { to, triggers, branch }: HookEvent): boolean {
  if ((hook.namespace_id === null) !== (to === 'system')) return false
  if (!triggers.every((trigger) => hook.triggers.includes(trigger))) return false
  return branch === undefined || wantsBranch(hook, branch)
}

async function addDeliveries(tx: Tx, { event, data, hooks: told }: EventForHooks): Promise<void> {
  const tooLarge = Buffer.byteLength(data) > MOST_BYTES
  const [trigger] = event.triggers
  const payload = await tx.db
    .insertInto('hook_payloads')
    .values({
      trigger: loggedTrigger(event.triggers.length === 0 ? 'system' : (trigger ?? 'system')),
      event: event.to === 'system' ? 'System Hook' : event.name,
      data: tooLarge ? '{}' : data,
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (tooLarge) {
    for (const hook of told)
      await logUnsent(tx, hook, payload.id, `The payload is larger than ${MOST_BYTES} bytes`)
    return
  }
  // Hooks may have been deleted since.
  await sql`
    insert into hook_deliveries (hook_id, payload_id)
    select h.id, ${payload.id}::bigint from hooks h where h.id = any(${told.map(({ id }) => id)}::bigint[])
    order by h.id for key share`.execute(tx.db)
}
