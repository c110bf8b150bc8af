import { sql } from 'kysely'
import { Type } from 'typebox'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask, type JobContext, type QueueServices } from '#platform/jobs/task.ts'
import type { Mail } from './mail.ts'
import { LONGEST_DELIVERY, type MailServer, type HandOverOutcome } from './mail-server.ts'

/** Seconds for which a taken mail belongs to who took it: longer than handing it over can take. */
const TERM = (2 * LONGEST_DELIVERY) / 1000
/** Minutes before a mail that was not accepted is tried again; the last one repeats. */
const pauses = [1, 5, 15, 60] as const
/** Days after which nobody waits for a mail any more. */
const PATIENCE = 3

/** What it takes to deliver mails. */
interface MailServices extends QueueServices {
  /** Undefined where the instance sends no mail. */
  readonly mail: MailServer | undefined
}

interface ClaimedMail {
  readonly id: number
  readonly content: Mail
  readonly created_at: string
  readonly attempts: number
  readonly expired: boolean
}

/**
 * Hands the mails that are due to the mail server. A mail belongs to who has taken it, so several processes may
 * deliver at once. How one ended is recorded by the statement that takes the next.
 */
export const deliverMails = defineTask(
  'mail/deliver',
  'mail',
  Type.Object({}),
  async (_, job: JobContext<MailServices>) => {
    const { mail: server } = job
    if (server === undefined || server.pause > 0) return
    let stopped = false
    const running = new Set<Promise<void>>()
    const open = () => {
      const work = deliver().finally(() => running.delete(work))
      running.add(work)
    }
    const deliver = async (): Promise<void> => {
      for (let mail = await take(job); mail !== undefined; mail = stopped ? undefined : await take(job)) {
        if (running.size < server.connections && !stopped) open()
        const outcome = await hand(server, mail, job)
        await conclude(job, mail, outcome)
        stopped ||= outcome.kind === 'trouble' || job.signal.aborted
      }
    }
    open()
    try {
      while (running.size > 0) await Promise.all(running)
    } finally {
      stopped = true
      await Promise.allSettled(running)
    }
    if (server.pause > 0) await tryAgainLater(job, server.pause)
  },
)

/** Takes the mail that has been due for the longest. If this process dies now, the mail is due again after the term. */
export async function take({ db }: Pick<JobContext, 'db'>): Promise<ClaimedMail | undefined> {
  const { rows } = await sql<ClaimedMail>`
    update mails set attempts = attempts + 1, due_at = now() + make_interval(secs => ${TERM})
    where id = (
      select id from mails where ended_at is null and due_at <= now()
      order by due_at, id limit 1 for update skip locked)
    returning id, content, created_at, attempts, created_at < now() - make_interval(days => ${PATIENCE}) as expired`.execute(
    db,
  )
  return rows[0]
}

async function hand(
  server: MailServer,
  mail: ClaimedMail,
  job: JobContext<MailServices>,
): Promise<HandOverOutcome | { kind: 'expired' }> {
  if (mail.expired) {
    server.counts.expired += 1
    return { kind: 'expired' }
  }
  const date = new Date(mail.created_at)
  // The same each time: receivers fold two copies into one.
  const messageId = mail.content.messageId ?? `<mail.${mail.id}.${date.getTime()}@${server.domain}>`
  return server.send({ ...mail.content, messageId, date }, job.signal)
}

async function conclude(
  { db, log }: JobContext<MailServices>,
  { id, attempts }: ClaimedMail,
  outcome: HandOverOutcome | { kind: 'expired' },
): Promise<void> {
  switch (outcome.kind) {
    case 'sent':
    case 'refused':
    case 'expired': {
      const response = 'response' in outcome ? outcome.response : null
      if (outcome.kind !== 'sent') log.warn({ mail: id, response }, `a mail was ${outcome.kind}`)
      await sql`
        update mails set content = null, ended_at = now(), outcome = ${outcome.kind}, response = ${response}
        where id = ${id}`.execute(db)
      return
    }
    case 'later': {
      const minutes = pauses[Math.min(attempts, pauses.length) - 1] ?? 1
      log.info({ mail: id, response: outcome.response }, 'a mail will be tried again')
      await sql`
        update mails set due_at = now() + make_interval(mins => ${minutes}), response = ${outcome.response}
        where id = ${id}`.execute(db)
      return
    }
    case 'trouble':
      // It is not the mail's fault. Another process, or this one later, may have more luck.
      await sql`
        update mails set due_at = now(), attempts = attempts - 1, response = ${outcome.response}
        where id = ${id}`.execute(db)
  }
}

async function tryAgainLater(job: JobContext<MailServices>, milliseconds: number): Promise<void> {
  const runAt = new Date(Date.now() + milliseconds).toISOString()
  await job.transact((tx) => enqueue(tx, deliverMails, {}, { runAt }))
}

/** Days for which it is known what became of a mail, and for which its key counts. */
const KEPT = 30

/** Removes what is left of mails that ended long ago. */
export const forgetMails = defineTask('mail/forget', 'long', Type.Object({}), async (_, { db, signal }) => {
  for (let removed = 1n; removed > 0n && !signal.aborted;) {
    const { numAffectedRows = 0n } = await sql`
      delete from mails where id in (
        select id from mails where ended_at < now() - make_interval(days => ${KEPT}) limit 5000)`.execute(db)
    removed = numAffectedRows
  }
})
