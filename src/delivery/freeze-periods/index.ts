import type { Feature } from '#platform/feature.ts'
import { freezePeriodAbilities } from './abilities.ts'
import { freezePeriodFacts } from './facts.ts'
import { freezePeriodRoutes } from './routes.ts'

/** Freeze periods: when nobody should deploy a project. */
export const freezePeriods: Feature = {
  areas: [
    {
      name: 'Freeze periods',
      about: 'When nobody should deploy a project.',
      segments: ['freeze_periods'],
    },
  ],
  routes: [freezePeriodRoutes],
  abilities: freezePeriodAbilities,
  facts: freezePeriodFacts,
}
