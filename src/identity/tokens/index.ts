import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { auditedToken, tokenFacts } from './facts.ts'
import { impersonationTokenRoutes } from './impersonation-routes.ts'
import { tokenPages } from './page-routes.ts'
import { tokenRoutes } from './routes.ts'
import { selfTokenRoutes } from './self-routes.ts'
import { tokenSettings } from './settings.ts'
import { tellOfExpiry } from './tell-expiry.ts'

/** Personal and impersonation access tokens. */
export const tokens: Feature = {
  areas: [
    {
      name: 'Access tokens',
      about: 'Personal, impersonation, project and group access tokens.',
      segments: ['personal_access_tokens', 'impersonation_tokens', 'access_tokens'],
    },
  ],
  routes: [tokenRoutes, selfTokenRoutes, impersonationTokenRoutes],
  pages: [tokenPages],
  facts: tokenFacts,
  audited: auditedToken,
  settings: tokenSettings,
  tasks: [tellOfExpiry],
  schedule: [daily('00:10', tellOfExpiry, {})],
}
