import type { Feature } from '#platform/feature.ts'
import { auditEvents } from './audit-events/index.ts'
import { backgroundJobs } from './background-jobs/index.ts'
import { broadcastMessages } from './broadcast-messages/index.ts'
import { instance } from './instance/index.ts'
import { licenses } from './licenses/index.ts'
import { otherSettings } from './other-settings/index.ts'
import { retired } from './retired/index.ts'

/** What administrators of the instance see and do. */
export const administration: readonly Feature[] = [
  auditEvents,
  licenses,
  instance,
  broadcastMessages,
  backgroundJobs,
  otherSettings,
  retired,
]
