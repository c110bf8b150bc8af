import { stopActions } from '#delivery/environments/extension-points.ts'
import { archiveParts } from '#code/archives/parts/all.ts'
import { afterOpening } from '#code/merge-requests/extension-points.ts'
import { recordSteps } from '#code/repositories/record-changes.ts'
import type { Feature } from '#platform/feature.ts'
import { sealedColumns } from '#platform/key-ring/key-ring.ts'
import { pipelineAbilities } from './abilities.ts'
import { archivedPipelines } from './archive-part.ts'
import { cancelOlderPipelines } from './cancel-older-pipelines.ts'
import { createPipelineOfMergeRequest, createPipelineOfPush } from './create-later.ts'
import { sealedPipelineVariables } from './create-pipeline.ts'
import { auditedPipeline, pipelineFacts } from './facts.ts'
import { deleteOldPipelines, retention } from './delete-old-pipelines.ts'
import { followDeployments } from './follow-deployments.ts'
import { followOpening } from './follow-opening.ts'
import { followPush } from './follow-push.ts'
import { followUpstream } from './follow-upstream.ts'
import { mergeRequestPipelineRoutes } from './merge-request-routes.ts'
import { prepareJobs } from './prepare-jobs.ts'
import { pipelineRoutes } from './routes.ts'
import { startDelayedJobs } from './start-delayed-jobs.ts'
import { playStopJob, stopByJob } from './stop-by-job.ts'

/** Pipelines: what is run for a commit. */
export const pipelines: Feature = {
  areas: [
    {
      name: 'Pipelines',
      about: 'What is run for a commit, by the configuration in its repository.',
      segments: ['pipelines', 'pipeline'],
    },
  ],
  routes: [pipelineRoutes, mergeRequestPipelineRoutes],
  abilities: pipelineAbilities,
  facts: pipelineFacts,
  audited: auditedPipeline,
  tasks: [
    createPipelineOfPush,
    createPipelineOfMergeRequest,
    cancelOlderPipelines,
    prepareJobs,
    startDelayedJobs,
    followDeployments,
    followUpstream,
    playStopJob,
    deleteOldPipelines,
  ],
  schedule: [retention],
  extensions: [
    recordSteps.with(followPush),
    afterOpening.with(followOpening),
    stopActions.with(stopByJob),
    archiveParts.with(archivedPipelines),
    sealedColumns.with(sealedPipelineVariables),
  ],
}
