import { sql } from 'kysely'
import type { Consumer, Fact, FactName } from '#platform/facts/fact.ts'
import { addedJob } from '#platform/jobs/added-job.ts'
import { notificationRules, type Notice } from './notice.ts'

/** A domain event as it waits to be told. */
export interface WaitingEvent {
  readonly fact: Fact
  readonly at: string
  /** The id of who did it; null for the instance itself. */
  readonly actor: number | null
}

/** The name of the task that tells people, which the consumer adds with its rows. */
export const TELL = 'notifications/tell'

const notifyingFacts = (): readonly FactName[] => notificationRules.entries.flatMap(({ facts }) => facts)

/** What a domain event means to people; undefined when it means nothing. */
export function noticeOf(fact: Fact): Notice | undefined {
  for (const rule of notificationRules.entries) {
    const notice = rule.read(fact)
    if (notice !== undefined) return notice
  }
  return undefined
}

/** A domain event, and what has to be there so that anybody is told of it. */
interface Row {
  readonly event: WaitingEvent
  /** Whether it is told in any case. */
  readonly needed: boolean
  readonly noteable: number | null
  readonly note: number | null
  /** Whether it is told if its text mentions somebody. */
  readonly mentions: boolean
  /** Whether it is told if its author has something to do about the noteable. */
  readonly resolves: boolean
}

function rowOf(notice: Notice, event: WaitingEvent, sendsMail: boolean): Row {
  const { about, text, todos } = notice
  return {
    event,
    needed:
      (notice.mails && sendsMail) ||
      (todos?.adds?.length ?? 0) > 0 ||
      notice.mentioned !== undefined ||
      todos?.approvers === true ||
      todos?.reviewed === true,
    noteable: 'noteable' in about ? about.noteable : null,
    note: text === undefined || text === 'own' ? null : text.note,
    mentions: todos?.mentioned === true && text !== undefined,
    resolves: todos?.resolves === true,
  }
}

/**
 * Lets a job tell people what happened. Whom, it finds out by itself, so that writes cost the same whoever listens.
 * Where no mails are sent, most events change nobody's to-do list: then there is no job.
 */
export const awaitTelling: Consumer = {
  name: 'notification_events',
  facts: () => [...new Set(notifyingFacts())],
  rows(fact, { author, now, sendsMail }) {
    const notice = noticeOf(fact)
    return notice === undefined
      ? []
      : [rowOf(notice, { fact, at: now, actor: author?.id ?? null }, sendsMail)]
  },
  statement: (rows) => sql`
    insert into notification_events (id, event, job_id)
    select e.id, e.event,
      ${addedJob(sql`${sql.lit(TELL)}`, sql`json_build_object('event_id', e.id)`)}
    from (
      select nextval('notification_events_id_seq') as id, r.event
      from jsonb_to_recordset(${rows}) as r (
        event jsonb, needed boolean, noteable bigint, note bigint, mentions boolean, resolves boolean)
      where r.needed
        or (r.mentions and exists (
          select 1 from user_mentions m where m.noteable_id = r.noteable and m.note_id is not distinct from r.note))
        or (r.resolves and exists (
          select 1 from todos t where t.noteable_id = r.noteable and t.user_id = (r.event ->> 'actor')::bigint
            and t.state = 'pending'))) e`,
}

/** Whether a value is an event as {@link awaitTelling} wrote it, perhaps by another version of this program. */
export function isWaiting(value: unknown): value is WaitingEvent {
  if (typeof value !== 'object' || value === null || !('fact' in value) || !('at' in value)) return false
  const { fact } = value
  if (typeof fact !== 'object' || fact === null || !('name' in fact)) return false
  return notifyingFacts().some((name) => name === fact.name)
}
