import type { Feature } from '#platform/feature.ts'
import { commitFinders } from '#planning/markup/resolve-commits.ts'
import { recordSteps } from '#code/repositories/record-changes.ts'
import { findNamedCommits } from './find-named-commits.ts'
import { readMessages } from './messages/read-messages.ts'
import { pickingRoutes } from './picking/routes.ts'
import { commitRoutes } from './routes.ts'
import { signatureRoutes } from './signatures/routes.ts'
import { commitWritingRoutes } from './writing/routes.ts'

/** The history of a repository. */
export const commits: Feature = {
  areas: [{ name: 'Commits', about: 'The history of a repository.', segments: ['commits'] }],
  extensions: [recordSteps.with(readMessages), commitFinders.with(findNamedCommits)],
  routes: [commitRoutes, signatureRoutes, commitWritingRoutes, pickingRoutes],
}
