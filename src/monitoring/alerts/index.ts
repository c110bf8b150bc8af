import type { Feature } from '#platform/feature.ts'
import { alertAbilities } from './abilities.ts'
import { alertFacts } from './facts.ts'
import { closeIncident, createIncident } from './incidents.ts'
import { alertKind } from './kind.ts'
import { metricImageRoutes } from './metric-images.ts'
import { alertRoutes } from './routes.ts'

/** What monitoring tools have reported, and what people make of it. */
export const alerts: Feature = {
  routes: [alertRoutes, metricImageRoutes, ...alertKind.routes],
  abilities: alertAbilities,
  unique: {
    alerts_open_key: {
      attribute: 'status',
      conflict: '409 Conflict - the alert was reported again meanwhile',
    },
  },
  facts: alertFacts,
  tasks: [createIncident, closeIncident],
  extensions: alertKind.extensions,
}
