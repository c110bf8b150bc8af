import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { dayOf } from '#platform/http/time.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { queueMails } from '#platform/mail/queue-mails.ts'
import { addTodos, resolveTodos, todosFor } from './add-todos.ts'
import { nextPeople, type Person } from './audience.ts'
import { reasonFor } from './candidate.ts'
import { compose, type MailContext } from './compose.ts'
import { type Context, contextOf } from './context.ts'
import { isWaiting, noticeOf, TELL, type WaitingEvent } from './event.ts'
import { mayRead } from './rights.ts'
import { unsubscribeUrl, unsubscriptionOf } from './unsubscribe-link.ts'

interface PendingNotice {
  readonly event: unknown
  readonly told_up_to: number
}

/**
 * Tells people of a domain event, in batches. A batch is one transaction with all its mails and to-dos, and says how far
 * it came: whoever runs this again, or at the same time, goes on from there.
 */
export const tellPeople = defineTask(
  TELL,
  'short',
  Type.Object({ event_id: Type.Integer() }),
  async ({ event_id }, job) => {
    for (let left = true; left;) {
      job.signal.throwIfAborted()
      left = await tellBatch(job, event_id)
    }
  },
)

/** The next people of an event, and all that they are told. */
interface NextBatch {
  readonly event: WaitingEvent
  readonly context: Context
  readonly readers: readonly Person[]
  readonly actor: MailContext['actor']
  /** The last id that was looked at; null when nobody is left. */
  readonly last: number | null
}

/** @returns whether there may be more people to tell */
async function tellBatch(job: JobContext, id: number): Promise<boolean> {
  const { rows } = await sql<PendingNotice>`
    select event, told_up_to from notification_events where id = ${id}`.execute(job.db)
  const [waiting] = rows
  if (waiting === undefined) return false
  const { event, told_up_to } = waiting
  const batch = isWaiting(event) ? await readBatch(job, event, told_up_to) : undefined
  return job.transact(async (tx) => {
    const { rows: locked } = await sql<Pick<PendingNotice, 'told_up_to'>>`
      select told_up_to from notification_events where id = ${id} for update`.execute(tx.db)
    const [now] = locked
    if (now === undefined) return false
    // Somebody else has told these.
    if (now.told_up_to !== told_up_to) return true
    if (batch !== undefined) await tellNext(tx, job, { id, isFirst: told_up_to === 0 }, batch)
    const last = batch?.last ?? null
    if (last === null) await sql`delete from notification_events where id = ${id}`.execute(tx.db)
    else await sql`update notification_events set told_up_to = ${last} where id = ${id}`.execute(tx.db)
    return last !== null
  })
}

/** Finds the next people after an id. @returns undefined when there is nothing to tell */
async function readBatch(
  job: JobContext,
  event: WaitingEvent,
  after: number,
): Promise<NextBatch | undefined> {
  const { fact, actor, at } = event
  const notice = noticeOf(fact)
  const context = notice && (await contextOf(job.db, notice))
  if (notice === undefined || context === undefined) return undefined
  const { place, kind } = context
  const licensed = job.currentPlan() !== 'free'
  const asked = { notice, place, kind, today: dayOf(job.clock.now()), at, licensed }
  const { people, last } = await nextPeople(job.db, asked, after)
  const readers = people.filter((person) => mayRead(person, context, actor))
  return { event, context, readers, actor: await findActor(job.db, actor), last }
}

async function tellNext(
  tx: Tx,
  { site, secrets }: JobContext,
  { id, isFirst }: { readonly id: number; readonly isFirst: boolean },
  { event: { actor: by, at }, context, readers, actor }: NextBatch,
): Promise<void> {
  const { notice, place } = context
  if (isFirst) await resolveTodos(tx, context, by, at)
  await addTodos(tx, context, todosFor(context, readers, by), by, at)
  if (notice.mails && !place.silent && tx.sendsMail && readers.length > 0) {
    const told = { context, event: id, actor, site: site() }
    await queueMails(tx, mailsTo(readers, told, by, secrets))
  }
}

/** The mails for those who want one. */
function mailsTo(
  readers: readonly Person[],
  told: MailContext,
  actor: number | null,
  secrets: Pick<Secrets, 'derive'>,
) {
  const { context, event, site } = told
  const key = context.notice.key ?? `event-${event}`
  return readers.flatMap((person) => {
    const reason = reasonFor(person, context.notice, actor)
    if (reason === undefined) return []
    const unsubscribe = unsubscribeUrl(site, secrets, unsubscriptionOf(context, person.id))
    return [{ ...compose(told, person, reason, unsubscribe), key: `${key}-${person.id}` }]
  })
}

async function findActor(db: Db, id: number | null): Promise<MailContext['actor']> {
  if (id === null) return null
  const found = await db
    .selectFrom('users')
    .select(['id', 'name', 'username'])
    .where('id', '=', id)
    .executeTakeFirst()
  return found ?? null
}
