import type { Feature } from '#platform/feature.ts'
import { activityPages } from './activity/index.ts'
import { epicPages } from './epics/index.ts'
import { milestonePages } from './milestones/index.ts'
import { snippetPages } from './snippets/index.ts'
import { wikiPages } from './wikis/index.ts'
import { helpPages } from './help/index.ts'
import { consoleFrame } from './frame/index.ts'
import { boardPages } from './boards/index.ts'
import { dashboardPages } from './dashboard/index.ts'
import { explorePages } from './explore/index.ts'
import { environmentPages } from './environments/index.ts'
import { monitoringPages } from './monitoring/index.ts'
import { packagePages } from './packages/index.ts'
import { releasePages } from './releases/index.ts'
import { feedPages } from './feeds/index.ts'
import { issuePages } from './issues/index.ts'
import { mergeRequestPages } from './merge-requests/index.ts'
import { consoleIslands } from './islands/index.ts'
import { pipelinePages } from './pipelines/index.ts'
import { projectPages } from './projects/index.ts'
import { repositoryPages } from './repository/index.ts'
import { searchPages } from './search/index.ts'
import { settingsPages } from './settings/index.ts'
import { broadcastPages } from './broadcasts/index.ts'
import { accountPages } from './account/index.ts'
import { adminPages } from './admin/index.ts'

/** The pages that people look at: a client of the API inside the process. Each place that people know is a feature. */
export const consoleFeatures: readonly Feature[] = [
  // Before the frame, which takes the same addresses for browsers.
  feedPages,
  consoleFrame,
  explorePages,
  projectPages,
  repositoryPages,
  issuePages,
  boardPages,
  mergeRequestPages,
  dashboardPages,
  searchPages,
  settingsPages,
  wikiPages,
  snippetPages,
  epicPages,
  milestonePages,
  activityPages,
  helpPages,
  consoleIslands,
  pipelinePages,
  environmentPages,
  monitoringPages,
  packagePages,
  releasePages,
  adminPages,
  broadcastPages,
  accountPages,
]
