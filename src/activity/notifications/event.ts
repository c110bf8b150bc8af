import { sql } from 'kysely'
import type { Consumer, Fact, FactName } from '#platform/facts/fact.ts'
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

const names = (): readonly FactName[] => notificationRules.entries.flatMap(({ facts }) => facts)

/** What a domain event means to people; undefined when it means nothing. */
export function noticeOf(fact: Fact): Notice | undefined {
  for (const rule of notificationRules.entries) {
    const notice = rule.read(fact)
    if (notice !== undefined) return notice
  }
  return undefined
}

/** Lets a job tell people what happened. Whom, it finds out by itself, so that writes cost the same whoever listens. */
export const awaitTelling: Consumer = {
  name: 'notification_events',
  facts: () => [...new Set(names())],
  rows(fact, { author, now }) {
    if (noticeOf(fact) === undefined) return []
    const waiting: WaitingEvent = { fact, at: now, actor: author?.id ?? null }
    return [{ event: waiting }]
  },
  statement: (rows) => sql`
    insert into notification_events (id, event, job_id)
    select e.id, e.event,
      (graphile_worker.add_job(${sql.lit(TELL)}, json_build_object('event_id', e.id))).id
    from (select nextval('notification_events_id_seq') as id, r.event from jsonb_to_recordset(${rows}) as r (event jsonb)) e`,
}

/** Whether a value is an event as {@link awaitTelling} wrote it, perhaps by another version of this program. */
export function isWaiting(value: unknown): value is WaitingEvent {
  if (typeof value !== 'object' || value === null || !('fact' in value) || !('at' in value)) return false
  const { fact } = value
  if (typeof fact !== 'object' || fact === null || !('name' in fact)) return false
  return names().some((name) => name === fact.name)
}
