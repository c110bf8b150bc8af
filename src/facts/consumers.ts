import type { Consumer } from './fact.ts'
import { auditEvents } from './audit-events.ts'
import { endSessions } from './end-sessions.ts'
import { projectActivity } from './project-activity.ts'
import { resourceEvents } from './resource-events.ts'
import { systemNotes } from './system-notes.ts'

/** Everything that is done with facts, in this order. A new consumer is a line here and touches no verb. */
export const consumers: readonly Consumer[] = [
  projectActivity,
  resourceEvents,
  systemNotes,
  endSessions,
  auditEvents,
]
