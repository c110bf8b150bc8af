import { titled } from '../parts/words.ts'

/** Why a job failed, for people. */
const reasons: Readonly<Record<string, string>> = {
  script_failure: 'A command of the script failed.',
  api_failure: 'The runner could not reach the server.',
  stuck_or_timeout_failure: 'No runner took it, or it did not end in time.',
  runner_system_failure: 'The machine of the runner failed.',
  missing_dependency_failure: 'Artifacts of a job that it needs are gone.',
  runner_unsupported: 'The runner is too old for what the job asks for.',
  stale_schedule: 'It was to start at a moment that passed.',
  job_execution_timeout: 'It ran longer than it may.',
  archived_failure: 'It is too old to be run.',
  unmet_prerequisites: 'What it needs could not be made ready.',
  scheduler_failure: 'It could not be given to a runner.',
  data_integrity_failure: 'What is known of it contradicts itself.',
  image_pull_failure: 'The runner could not get its image.',
  runner_provisioning_failure: 'The runner found no machine for it.',
  no_matching_runner: 'No runner may take it.',
  forward_deployment_failure: 'A newer deployment came first.',
  downstream_pipeline_creation_failed: 'The pipeline that it starts could not be made.',
  protected_environment_failure: 'Who started it may not deploy to that environment.',
  unknown_failure: 'Nobody said why it failed.',
}

export const failureInWords = (reason: string): string => reasons[reason] ?? `${titled(reason)}.`
