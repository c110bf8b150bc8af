import type { Feature } from '#platform/feature.ts'
import { commitStatusAbilities } from './abilities.ts'
import { commitStatusFacts } from './facts.ts'
import { commitStatusRoutes } from './routes.ts'

/** What an external CI says of commits. */
export const commitStatuses: Feature = {
  areas: [{ name: 'Commit statuses', about: 'What an external CI says of commits.', segments: ['statuses'] }],
  routes: [commitStatusRoutes],
  abilities: commitStatusAbilities,
  facts: commitStatusFacts,
}
