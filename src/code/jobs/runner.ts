import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { presentUserBasic, UserBasic, userBasicJson, type UserBasicRow } from '#identity/users/basic.ts'
import type { CiRunnerType } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'

export const runnerTypes = ['instance_type', 'group_type', 'project_type'] as const satisfies CiRunnerType[]
export const runnerStatuses = ['online', 'offline', 'stale', 'never_contacted'] as const
export type RunnerStatus = (typeof runnerStatuses)[number]

/** How long somebody who said nothing counts as there. */
export const ONLINE_FOR = 2 * 3_600_000
/** How long until they count as forgotten. */
export const STALE_AFTER = 7 * 86_400_000

const deprecatedAddress = Type.String({ description: 'Always empty.', deprecated: true })

/** A runner as lists and jobs show it. */
export const Runner = entity('Runner', {
  id: integer(),
  description: nullable(Type.String()),
  ip_address: deprecatedAddress,
  active: Type.Boolean({ description: 'The opposite of `paused`.', deprecated: true }),
  paused: Type.Boolean(),
  is_shared: Type.Boolean({ description: 'Whether it is for the whole instance.' }),
  runner_type: oneOf<CiRunnerType>(runnerTypes),
  name: nullable(Type.String({ description: 'Always null.' })),
  online: nullable(Type.Boolean({ description: 'Null until it asks for the first time.' })),
  created_at: moment(),
  created_by: nullable(UserBasic),
  status: oneOf<RunnerStatus>(runnerStatuses),
  job_execution_status: oneOf(['idle', 'active'], { description: 'Whether it runs a job.' }),
})

/** A program that uses the token of a runner. */
export const RunnerManager = entity('RunnerManager', {
  id: integer(),
  system_id: Type.String({ description: 'The name that the program has given itself.' }),
  version: nullable(Type.String()),
  revision: nullable(Type.String()),
  platform: nullable(Type.String()),
  architecture: nullable(Type.String()),
  created_at: moment(),
  contacted_at: nullable(moment()),
  ip_address: deprecatedAddress,
  status: oneOf<RunnerStatus>(runnerStatuses),
})

export interface RunnerRow {
  readonly id: number
  readonly runner_type: CiRunnerType
  readonly description: string | null
  readonly paused: boolean
  readonly contacted_at: string | null
  readonly created_at: string
  readonly creator: UserBasicRow | null
  readonly is_running: boolean
}

export interface RunnerManagerRow {
  readonly id: number
  readonly system_id: string
  readonly version: string | null
  readonly revision: string | null
  readonly platform: string | null
  readonly architecture: string | null
  readonly contacted_at: string | null
  readonly created_at: string
}

/** Who made the runner `r`; null where it came by itself, and once they are gone. */
export const creatorOfRunner: RawBuilder<UserBasicRow | null> = sql`(
  select ${userBasicJson('cr')} from users cr where cr.id = r.creator_id and cr.deleted_at is null)`

/** Whether the runner `r` runs a job. */
export const isRunning: RawBuilder<boolean> = sql`exists (select from ci_running_jobs rj where rj.runner_id = r.id)`

/** The runner of the job `j`; null where none has taken it, and once it is removed. */
export const runnerJson: RawBuilder<RunnerRow | null> = sql`(
  select json_build_object('id', r.id, 'runner_type', r.runner_type, 'description', r.description, 'paused', r.paused,
    'contacted_at', r.contacted_at, 'created_at', r.created_at, 'creator', ${creatorOfRunner}, 'is_running', ${isRunning})
  from ci_runners r where r.id = j.runner_id)`

/** Its manager, likewise. */
export const runnerManagerJson: RawBuilder<RunnerManagerRow | null> = sql`(
  select json_build_object('id', m.id, 'system_id', m.system_id, 'version', m.version, 'revision', m.revision,
    'platform', m.platform, 'architecture', m.architecture, 'contacted_at', m.contacted_at, 'created_at', m.created_at)
  from ci_runner_managers m where m.id = j.runner_manager_id)`

/** When runners are shown, in ISO 8601, and where web pages are. */
export interface RunnerView {
  readonly now: string
  readonly site: string
}

export function presentRunner(row: RunnerRow, { now, site }: RunnerView): Static<typeof Runner> {
  const status = statusOf(row, now)
  return {
    id: row.id,
    description: row.description,
    ip_address: '',
    active: !row.paused,
    paused: row.paused,
    is_shared: row.runner_type === 'instance_type',
    runner_type: row.runner_type,
    name: null,
    online: row.contacted_at === null ? null : status === 'online',
    created_at: iso(row.created_at),
    created_by: row.creator && presentUserBasic(row.creator, site),
    status,
    job_execution_status: row.is_running ? 'active' : 'idle',
  }
}

export const presentRunnerManager = (row: RunnerManagerRow, now: string): Static<typeof RunnerManager> => ({
  id: row.id,
  system_id: row.system_id,
  version: row.version,
  revision: row.revision,
  platform: row.platform,
  architecture: row.architecture,
  created_at: iso(row.created_at),
  contacted_at: isoOrNull(row.contacted_at),
  ip_address: '',
  status: statusOf(row, now),
})

type Contact = Pick<RunnerRow, 'contacted_at' | 'created_at'>

/** Who was not heard of for a week is `stale`, also if they never were; src/ci/runners/list-queries.ts says the same in SQL. */
function statusOf({ contacted_at, created_at }: Contact, now: string): RunnerStatus {
  const silentFor = Date.parse(now) - Date.parse(contacted_at ?? created_at)
  if (silentFor >= STALE_AFTER) return 'stale'
  if (contacted_at === null) return 'never_contacted'
  return silentFor < ONLINE_FOR ? 'online' : 'offline'
}
