import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { authorizePages } from './authorize-pages.ts'
import { authorizedPages } from './authorized-routes.ts'
import { cleanUpOAuth } from './clean-up.ts'
import { devicePages } from './device-pages.ts'
import { auditedOauth, oauthFacts } from './facts.ts'
import { oauthRoutes } from './routes.ts'

/** OAuth 2.0: applications act for users. */
export const oauth: Feature = {
  pages: [oauthRoutes, authorizedPages, authorizePages, devicePages],
  facts: oauthFacts,
  audited: auditedOauth,
  tasks: [cleanUpOAuth],
  schedule: [daily('03:40', cleanUpOAuth, {})],
}
