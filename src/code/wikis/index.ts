import { gitRepositories } from '#code/git-transport/access.ts'
import { recordSteps } from '#code/repositories/record-changes.ts'
import { referenceRules } from '#code/repositories/rules.ts'
import type { Feature } from '#platform/feature.ts'
import { daily } from '#platform/jobs/schedule.ts'
import { defineKind } from '#planning/noteables/define-kind.ts'
import { wikiAbilities } from './abilities.ts'
import { wikiFacts } from './facts.ts'
import { forgetPages } from './forget-pages.ts'
import { wikisForGit } from './git-repositories.ts'
import { groupWikiPageNoteable, wikiPageNoteable } from './noteable.ts'
import { recordPages } from './record-pages.ts'
import { wikiRoutes } from './routes.ts'
import { wikiRule } from './rule.ts'
import { wikiSettings } from './settings.ts'

/** Wikis of projects and groups, whose pages are files in repositories of their own. */
export const wikis: Feature = {
  areas: [{ name: 'Wikis', about: 'Pages of projects and groups.', segments: ['wikis', 'wiki_pages'] }],
  routes: [wikiRoutes],
  abilities: wikiAbilities,
  facts: wikiFacts,
  settings: wikiSettings,
  tasks: [forgetPages],
  schedule: [daily('03:50', forgetPages, {})],
  extensions: [
    gitRepositories.with(wikisForGit),
    recordSteps.with(recordPages),
    referenceRules.with(wikiRule),
    ...defineKind({ noteable: wikiPageNoteable }).extensions,
    ...defineKind({ noteable: groupWikiPageNoteable }).extensions,
  ],
}
