import type { Feature } from '#platform/feature.ts'
import { consoleFrame } from './frame/index.ts'
import { dashboardPages } from './dashboard/index.ts'
import { explorePages } from './explore/index.ts'
import { feedPages } from './feeds/index.ts'
import { issuePages } from './issues/index.ts'
import { mergeRequestPages } from './merge-requests/index.ts'
import { projectPages } from './projects/index.ts'
import { repositoryPages } from './repository/index.ts'
import { searchPages } from './search/index.ts'

/** The pages that people look at: a client of the API inside the process. Each place that people know is a feature. */
export const consoleFeatures: readonly Feature[] = [
  // Before the frame, which takes the same addresses for browsers.
  feedPages,
  consoleFrame,
  explorePages,
  projectPages,
  repositoryPages,
  issuePages,
  mergeRequestPages,
  dashboardPages,
  searchPages,
]
