import type { Feature } from '#platform/feature.ts'
import { alertIntegrations } from './alert-integrations/index.ts'
import { alertReceiver } from './alert-receiver/index.ts'
import { alerts } from './alerts/index.ts'
import { errorTracking } from './error-tracking/index.ts'
import { monitoringOverview } from './overview/index.ts'

/** What running programs report: alerts and errors. */
export const monitoring: readonly Feature[] = [
  alertIntegrations,
  alerts,
  alertReceiver,
  errorTracking,
  monitoringOverview,
]
