import type { Feature } from '#platform/feature.ts'
import { sealedColumns } from '#platform/key-ring/key-ring.ts'
import { alertIntegrationAbilities } from './abilities.ts'
import { alertIntegrationFacts, auditedAlertIntegration } from './facts.ts'
import { sealedKeys } from './keys.ts'
import { mappingPages } from './mapping-routes.ts'
import { integrationPages } from './page-routes.ts'
import { integrationRoutes } from './routes.ts'

/** What receives alerts for a project: a URL and a key for a monitoring tool. */
export const alertIntegrations: Feature = {
  areas: [
    {
      name: 'Alert management',
      about: 'Integrations that receive alerts from monitoring tools, and the alerts of a project.',
      segments: ['alert_management', 'alert_management_alerts'],
    },
  ],
  routes: [integrationRoutes],
  pages: [integrationPages, mappingPages],
  abilities: alertIntegrationAbilities,
  facts: alertIntegrationFacts,
  audited: auditedAlertIntegration,
  extensions: [sealedColumns.with(sealedKeys)],
}
