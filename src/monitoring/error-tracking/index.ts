import type { Feature } from '#platform/feature.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { errorTrackingAbilities } from './abilities.ts'
import { collectorRoutes } from './collector/routes.ts'
import { errorPages } from './errors/page-routes.ts'
import { errorRoutes } from './errors/routes.ts'
import { auditedErrorTracking, errorTrackingFacts } from './facts.ts'
import { groupEvents } from './grouping/group-events.ts'
import { tellRest } from './grouping/news.ts'
import { trackingRoutes } from './routes.ts'
import { errorTrackingSettings } from './settings.ts'

/** Errors that running programs report with the SDKs of Sentry. */
export const errorTracking: Feature = {
  areas: [
    {
      name: 'Error tracking',
      about: 'Settings, client keys and errors of projects. Programs report by the DSN of a client key.',
      segments: ['error_tracking'],
    },
  ],
  routes: [trackingRoutes, errorRoutes],
  pages: [collectorRoutes, errorPages],
  abilities: errorTrackingAbilities,
  facts: errorTrackingFacts,
  audited: auditedErrorTracking,
  settings: errorTrackingSettings,
  tasks: [groupEvents, tellRest],
  // A process may end between what it kept and the job for it.
  schedule: [scheduled('* * * * *', groupEvents, {})],
}
