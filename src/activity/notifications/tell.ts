import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Secrets } from '#platform/db/secrets.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { dayOf } from '#platform/http/time.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { queueMails } from '#platform/mail/queue-mails.ts'
import { addTodos, resolveTodos, todosFor } from './add-todos.ts'
import { nextPeople, type Person } from './audience.ts'
import { reasonFor } from './candidate.ts'
import { compose, type MailContext } from './compose.ts'
import { contextOf } from './context.ts'
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
      left = await job.transact((tx) => tellBatch(tx, job, event_id))
    }
  },
)

/** @returns whether there may be more people to tell */
async function tellBatch(tx: Tx, job: JobContext, id: number): Promise<boolean> {
  const { rows } = await sql<PendingNotice>`
    select event, told_up_to from notification_events where id = ${id} for update`.execute(tx.db)
  const [waiting] = rows
  if (waiting === undefined) return false
  const last = isWaiting(waiting.event)
    ? await tellNext(tx, job, id, waiting.event, waiting.told_up_to)
    : null
  if (last === null) await sql`delete from notification_events where id = ${id}`.execute(tx.db)
  else await sql`update notification_events set told_up_to = ${last} where id = ${id}`.execute(tx.db)
  return last !== null
}

/** Tells the next people after an id. @returns the last id that was looked at; null when nobody is left */
async function tellNext(
  tx: Tx,
  job: JobContext,
  id: number,
  { fact, actor, at }: WaitingEvent,
  after: number,
): Promise<number | null> {
  const notice = noticeOf(fact)
  if (notice === undefined) return null
  const context = await contextOf(tx, notice)
  if (context === undefined) return null
  if (after === 0) await resolveTodos(tx, context, actor, at)
  const { place, kind } = context
  const licensed = job.currentPlan() !== 'free'
  const { people, last } = await nextPeople(
    tx,
    { notice, place, kind, today: dayOf(job.clock.now()), at, licensed },
    after,
  )
  const readers = people.filter((person) => mayRead(person, context, actor))
  await addTodos(tx, context, todosFor(context, readers, actor), actor, at)
  if (notice.mails && !place.silent && tx.sendsMail && readers.length > 0) {
    const { site, secrets } = job
    const told = { context, event: id, actor: await findActor(tx, actor), site: site() }
    await queueMails(tx, mailsTo(readers, told, actor, secrets))
  }
  return last
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

async function findActor(tx: Tx, id: number | null): Promise<MailContext['actor']> {
  if (id === null) return null
  const found = await tx.db
    .selectFrom('users')
    .select(['id', 'name', 'username'])
    .where('id', '=', id)
    .executeTakeFirst()
  return found ?? null
}
