import { gitRepositories } from '#code/git-transport/access.ts'
import { recordSteps } from '#code/repositories/record-changes.ts'
import { referenceRules } from '#code/repositories/rules.ts'
import type { Feature } from '#platform/feature.ts'
import { defineKind } from '#planning/noteables/define-kind.ts'
import { snippetAbilities } from './abilities.ts'
import { auditedSnippet, snippetFacts } from './facts.ts'
import { snippetsForGit } from './git-repositories.ts'
import { snippetListRoutes } from './list-routes.ts'
import { snippetNoteable } from './noteable.ts'
import { recordFiles } from './record-files.ts'
import { snippetRoutes } from './routes.ts'
import { snippetRule } from './rule.ts'
import { snippetSettings } from './settings.ts'

/** Snippets of projects and persons: a few files, each snippet in a repository of its own. */
export const snippets: Feature = {
  areas: [{ name: 'Snippets', about: 'A few files of a project or a person.', segments: ['snippets'] }],
  routes: [snippetListRoutes, snippetRoutes],
  abilities: snippetAbilities,
  facts: snippetFacts,
  audited: auditedSnippet,
  settings: snippetSettings,
  extensions: [
    gitRepositories.with(snippetsForGit),
    recordSteps.with(recordFiles),
    referenceRules.with(snippetRule),
    ...defineKind({ noteable: snippetNoteable }).extensions,
  ],
}
