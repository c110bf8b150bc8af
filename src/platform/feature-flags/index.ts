import type { Feature } from '#platform/feature.ts'
import { featureFlagRoutes } from './routes.ts'
import { auditedFeatureFlag, featureFlagFacts } from './facts.ts'

/** Feature flags: parts of the program that administrators switch on and off. */
export const featureFlags: Feature = {
  areas: [
    {
      name: 'Feature flags',
      about: 'Feature flags: functions of the program that administrators turn on and off.',
      segments: ['features'],
    },
  ],
  routes: [featureFlagRoutes],
  facts: featureFlagFacts,
  audited: auditedFeatureFlag,
}
