import type { JobServices } from '#platform/jobs/task.ts'
import type { NewPipeline } from './new-pipeline.ts'

/**
 * Makes a pipeline of the configuration at a commit, with its jobs, and starts what can start.
 * @returns its id; that of the earlier one where one of the same origin is there
 * @throws 400 `{base: […]}` where there is no configuration, it is wrong, or no job is wanted
 */
export function createPipeline(_services: JobServices, _wanted: NewPipeline): Promise<number> {
  throw new Error('not yet')
}
