import type { Feature } from '#platform/feature.ts'
import { jobArtifacts } from './artifacts/index.ts'
import { jobRequests } from './job-requests/index.ts'
import { jobTokens } from './job-tokens/index.ts'
import { jobs } from './jobs/index.ts'
import { ciLint } from './lint/index.ts'
import { jobLogs } from './logs/index.ts'
import { pipelineSchedules } from './pipeline-schedules/index.ts'
import { pipelines } from './pipelines/index.ts'
import { runners } from './runners/index.ts'
import { commitStatuses } from './statuses/index.ts'
import { pipelineTriggers } from './triggers/index.ts'
import { pipelineBadges } from './badges/index.ts'
import { secureFiles } from './secure-files/index.ts'
import { testReports } from './test-reports/index.ts'
import { ciVariables } from './variables/index.ts'

/** What a push sets in motion: variables, pipelines and their jobs. */
export const ci: readonly Feature[] = [
  ciVariables,
  ciLint,
  pipelines,
  pipelineSchedules,
  pipelineTriggers,
  jobs,
  jobTokens,
  jobLogs,
  jobArtifacts,
  runners,
  jobRequests,
  testReports,
  secureFiles,
  pipelineBadges,
  commitStatuses,
]
