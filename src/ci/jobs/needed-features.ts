import type { ChosenJob } from '../config/chosen.ts'
import { recordIn } from '../config/json.ts'

/** What decides which features of runners a job needs. */
type Described = Pick<ChosenJob, 'allowFailure' | 'options'>

/**
 * What a runner must be able to do for a job, beside running a script, by the names that runners announce. Without it the job would fail or,
 * worse, seem to pass.
 * @param ofMergeRequest whether its commit is behind a reference of a merge request, which no branch has
 */
export function neededFeatures({ allowFailure, options }: Described, ofMergeRequest: boolean): string[] {
  const artifacts = recordIn(options['artifacts'])
  const needs: Readonly<Record<string, boolean>> = {
    artifacts_exclude: artifacts['exclude'] !== undefined,
    multi_build_steps: options['release'] !== undefined,
    native_steps_integration: options['run'] !== undefined,
    refspecs: ofMergeRequest,
    return_exit_code:
      typeof allowFailure === 'object' || recordIn(options['retry'])['exit_codes'] !== undefined,
    upload_multiple_artifacts: Object.keys(recordIn(artifacts['reports'])).length > 0,
  }
  return Object.keys(needs).filter((name) => needs[name] === true)
}
