import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { endSessions } from './end-sessions.ts'
import { auditedSession, sessionFacts } from './facts.ts'
import { removeEndedSessions } from './remove-ended-sessions.ts'
import { sessionPages } from './session-routes.ts'
import { sessionSettings } from './settings.ts'
import { signInPages } from './sign-in-routes.ts'

/** Signing in and out with a browser. */
export const sessions: Feature = {
  pages: [signInPages, sessionPages],
  facts: sessionFacts,
  audited: auditedSession,
  settings: sessionSettings,
  consumers: [endSessions],
  tasks: [removeEndedSessions],
  schedule: [daily('03:20', removeEndedSessions, {})],
}
