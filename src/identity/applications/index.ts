import type { Feature } from '#platform/feature.ts'
import { auditedApplication, applicationFacts } from './facts.ts'
import { applicationPages } from './page-routes.ts'
import { applicationRoutes } from './routes.ts'

/** OAuth applications. */
export const applications: Feature = {
  areas: [{ name: 'Applications', about: 'OAuth applications of the instance.', segments: ['applications'] }],
  routes: [applicationRoutes],
  pages: [applicationPages],
  facts: applicationFacts,
  audited: auditedApplication,
}
