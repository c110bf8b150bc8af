import type { CiRunnerAccess } from '#platform/db/schema.ts'
import { invalid } from '#platform/refusals.ts'
import type { GivenAttributes } from './parameters.ts'

/** What people decide about a runner. */
export interface RunnerAttributes {
  readonly description: string | null
  readonly maintenance_note: string | null
  readonly paused: boolean
  readonly locked: boolean
  readonly run_untagged: boolean
  readonly access_level: CiRunnerAccess
  readonly tags: readonly string[]
  readonly maximum_timeout: number | null
}

const defaults: RunnerAttributes = {
  description: null,
  maintenance_note: null,
  paused: false,
  locked: false,
  run_untagged: true,
  access_level: 'not_protected',
  tags: [],
  maximum_timeout: null,
}

/** In seconds. A shorter one would end most jobs. */
const SHORTEST_TIMEOUT = 600

/** The attributes after a request. @throws 400 for those that no runner can have */
export function attributesWith(
  { active, paused = active === undefined ? undefined : !active, tag_list, ...given }: GivenAttributes,
  before: RunnerAttributes = defaults,
): RunnerAttributes {
  const after: RunnerAttributes = {
    description: given.description === undefined ? before.description : given.description,
    maintenance_note: given.maintenance_note === undefined ? before.maintenance_note : given.maintenance_note,
    paused: paused ?? before.paused,
    locked: given.locked ?? before.locked,
    run_untagged: given.run_untagged ?? before.run_untagged,
    access_level: given.access_level ?? before.access_level,
    tags:
      tag_list === undefined
        ? before.tags
        : [...new Set(tag_list.map((tag) => tag.trim()).filter((tag) => tag !== ''))],
    maximum_timeout: given.maximum_timeout === undefined ? before.maximum_timeout : given.maximum_timeout,
  }
  if (after.maximum_timeout !== null && after.maximum_timeout < SHORTEST_TIMEOUT)
    throw invalid({ maximum_timeout: ['needs to be at least 10 minutes'] })
  if (!after.run_untagged && after.tags.length === 0)
    throw invalid({ tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'] })
  return after
}
