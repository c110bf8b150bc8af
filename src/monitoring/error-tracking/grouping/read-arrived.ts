import type { Log } from '#platform/context.ts'
import { iso } from '#platform/http/time.ts'
import type { ReducedEvent } from '../collector/event.ts'
import { describe, type ErrorDescription } from './describe.ts'
import { fingerprintOf } from './fingerprint.ts'

/** An event as it waited. */
export interface ArrivedRow {
  readonly id: number
  readonly project_id: number
  readonly received_at: string
  readonly event: string
}

/** An event with what it is grouped by. */
export interface ArrivedEvent extends ErrorDescription {
  readonly projectId: number
  readonly receivedAt: string
  readonly fingerprint: string
  readonly event: ReducedEvent
  /** As it arrived. */
  readonly text: string
  /** A digest of who was affected. */
  readonly affected: string | undefined
}

/** Reads events that this program wrote. */
export function readArrived(rows: readonly ArrivedRow[], log: Pick<Log, 'error'>): ArrivedEvent[] {
  return rows.flatMap(({ id, project_id, received_at, event: text }) => {
    try {
      const { affected, ...event }: ReducedEvent & { affected?: string } = JSON.parse(text)
      return {
        projectId: project_id,
        receivedAt: iso(received_at),
        fingerprint: fingerprintOf(event),
        event,
        text,
        affected,
        ...describe(event),
      }
    } catch (error) {
      log.error({ err: error, id }, 'an event cannot be read')
      return []
    }
  })
}
