import type { ArrivedEvent } from './read-arrived.ts'

/** The events of an error in this batch. */
export interface Group {
  readonly id: number
  readonly isNew: boolean
  readonly namespaceId: number
  readonly status: string
  /** When somebody changed the status; null for never. */
  readonly statusChangedAt: string | null
  readonly resolvedInRelease: string | null
  readonly events: readonly [ArrivedEvent, ...ArrivedEvent[]]
}
