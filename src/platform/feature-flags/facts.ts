import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import type { GateSetting } from './set-feature-flag.ts'
import { type AuditedFacts, event } from '#platform/facts/audited.ts'

export const featureFlagFacts = {
  'feature switch set': fact<{ feature: string; state: string; setting: GateSetting }>(),
  'feature switch deleted': fact<{ feature: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof featureFlagFacts> {}
}

export const auditedFeatureFlag: AuditedFacts = {
  'feature switch set': event('feature_switch_set', ({ details: { feature, state } }) => ({
    details: { change: feature, to: state },
  })),
  'feature switch deleted': event('feature_switch_deleted', ({ details: { feature } }) => ({
    details: { remove: feature },
  })),
}
