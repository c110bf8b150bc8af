import type { Feature } from '#platform/feature.ts'
import { recordSteps } from '#code/repositories/record-changes.ts'
import { referenceRules } from '#code/repositories/rules.ts'
import { markApplied } from './mark-applied.ts'
import { suggestionRoutes } from './routes.ts'
import { suggestionRule } from './suggestion-rule.ts'

/** What notes on the diffs of merge requests suggest to write instead of some lines. */
export const suggestions: Feature = {
  areas: [
    {
      name: 'Suggestions',
      about: 'What notes on the diffs of merge requests suggest to write instead of some lines.',
      segments: ['suggestions'],
    },
  ],
  routes: [suggestionRoutes],
  extensions: [referenceRules.with(suggestionRule), recordSteps.with(markApplied)],
}
