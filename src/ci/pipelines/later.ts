import { Type } from 'typebox'

const OfPipeline = Type.Object({ pipeline_id: Type.Integer() })

// Names and payloads of tasks that the engine adds. The tasks themselves use the engine.

/** Prepares jobs that deploy, and starts the pipelines of bridges. */
export const prepareJobsLater = { name: 'ci.prepare-jobs', payload: OfPipeline }
/** Starts delayed jobs whose time has come. */
export const startDelayedLater = { name: 'ci.start-delayed-jobs', payload: OfPipeline }
/** Tells deployments and environments how their jobs went. */
export const followDeploymentsLater = { name: 'ci.follow-deployments', payload: OfPipeline }
/** Makes files of logs of jobs that have ended. */
export const archiveLogsLater = { name: 'ci.archive-logs', payload: OfPipeline }
/** Tells the job that started a pipeline how the pipeline goes. */
export const followUpstreamLater = { name: 'ci.follow-upstream', payload: OfPipeline }
/** Cancels older pipelines of the same branch that a new one makes needless. */
export const cancelOlderLater = { name: 'ci.cancel-older-pipelines', payload: OfPipeline }
/** Makes the pipeline of a push. */
export const createPipelineLater = {
  name: 'ci.create-pipeline',
  payload: Type.Object({
    project_id: Type.Integer(),
    ref: Type.String(),
    before: Type.String(),
    sha: Type.String(),
    user_id: Type.Integer(),
    variables: Type.Optional(Type.Array(Type.Object({ key: Type.String(), value: Type.String() }))),
    inputs: Type.Optional(Type.Record(Type.String(), Type.String())),
    skip: Type.Optional(Type.Boolean()),
    origin: Type.String(),
  }),
}
/** Makes the pipeline of a merge request. */
export const mergeRequestPipelineLater = {
  name: 'ci.create-merge-request-pipeline',
  payload: Type.Object({ merge_request_id: Type.Integer(), user_id: Type.Integer() }),
}
