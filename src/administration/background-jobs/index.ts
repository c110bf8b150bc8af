import type { Feature } from '#platform/feature.ts'
import { auditedBackgroundJobs, backgroundJobFacts } from './facts.ts'
import { backgroundJobRoutes } from './routes.ts'

/** Background work that failed for good: what a person must decide about. */
export const backgroundJobs: Feature = {
  areas: [
    {
      name: 'Background jobs',
      about: 'Background work that failed as often as it is tried. GitLab has no such endpoints.',
      segments: ['background_jobs'],
    },
  ],
  routes: [backgroundJobRoutes],
  facts: backgroundJobFacts,
  audited: auditedBackgroundJobs,
}
