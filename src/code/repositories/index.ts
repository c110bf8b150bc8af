import type { Feature } from '#platform/feature.ts'
import { repositoryAbilities } from './abilities.ts'
import { repositoryFacts } from './facts.ts'

/** Git repositories: where they are, who may read and change them, and the one place where references change. */
export const repositories: Feature = {
  abilities: repositoryAbilities,
  facts: repositoryFacts,
}
