import type { Consumer } from './fact.ts'
import { auditEvents } from '#administration/audit-events/record-audit-events.ts'
import { endSessions } from '#identity/sessions/end-sessions.ts'
import { projectActivity } from '#tenancy/projects/project-activity.ts'
import { resourceEvents } from '#planning/resource-events/record-resource-events.ts'
import { systemNotes } from '#planning/notes/system-notes.ts'

/** Everything that is done with facts, in this order. A new consumer is a line here and touches no verb. */
export const consumers: readonly Consumer[] = [
  projectActivity,
  resourceEvents,
  systemNotes,
  endSessions,
  auditEvents,
]
