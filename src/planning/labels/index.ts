import type { Feature } from '#platform/feature.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { labelAbilities } from './abilities.ts'
import { labelFacts } from './facts.ts'
import { labelRoutes } from './routes.ts'

/** Labels of projects and groups. */
export const labels: Feature = {
  areas: [{ name: 'Labels', about: 'Labels of projects and groups.', segments: ['labels'] }],
  routes: [labelRoutes],
  abilities: labelAbilities,
  unique: { labels_name_key: { attribute: 'title', conflict: knownTexts['label-exists'] } },
  facts: labelFacts,
}
