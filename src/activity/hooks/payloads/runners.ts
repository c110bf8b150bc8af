import { type RawBuilder, sql } from 'kysely'

/** A runner as payloads show it. */
export interface RunnerInPayload {
  readonly id: number
  readonly description: string | null
  readonly runner_type: string
  readonly active: boolean
  readonly is_shared: boolean
  readonly tags: readonly string[]
}

/** The runner that has or had the job `j`; null for none, and once it is removed. */
export const runnerOfJob: RawBuilder<RunnerInPayload | null> = sql`(
  select json_build_object('id', r.id, 'description', r.description, 'runner_type', r.runner_type, 'active', not r.paused,
    'is_shared', r.runner_type = 'instance_type', 'tags', r.tags) from ci_runners r where r.id = j.runner_id)`
