import { sql } from 'kysely'
import { digestOf } from '#platform/access/digest.ts'
import type { Db } from '#platform/db/pool.ts'
import type { KnownRunner } from '../runners/find-runner.ts'

/** A runner that asks for a job, with the manager that asks. */
export interface AskingRunner extends KnownRunner {
  readonly updated_at: string
  readonly contacted_at: string | null
  readonly manager: AskingManager | null
  /** Of a runner for projects, those; null for very many. */
  readonly projects: readonly number[] | null
}

/** Projects of a runner that are read with it. */
const MOST_PROJECTS = 1_000

export interface AskingManager {
  readonly id: number
  readonly contacted_at: string | null
  readonly version: string | null
  readonly revision: string | null
  readonly platform: string | null
  readonly architecture: string | null
  readonly executor: string | null
  readonly features: readonly string[]
}

/** Finds a runner by its token, with the manager of that name; undefined for a token that is none's or has expired. */
export async function findAskingRunner(
  db: Db,
  { token, systemId }: { readonly token: string; readonly systemId: string | undefined },
  now: Date,
): Promise<AskingRunner | undefined> {
  const { rows } = await sql<AskingRunner>`
    select r.id, r.runner_type, r.group_namespace_id, r.paused, r.run_untagged, r.access_level, r.tags, r.maximum_timeout,
        r.token_expires_at, r.updated_at, r.contacted_at,
        case when m.id is not null then json_build_object('id', m.id, 'contacted_at', m.contacted_at, 'version', m.version,
          'revision', m.revision, 'platform', m.platform, 'architecture', m.architecture, 'executor', m.executor,
          'features', m.features) end as manager,
        case when r.runner_type <> 'project_type' then '{}'
          when (select count(*) from (select from ci_runner_projects where runner_id = r.id limit ${MOST_PROJECTS + 1}) as many) > ${MOST_PROJECTS} then null
          else array(select project_id from ci_runner_projects where runner_id = r.id) end as projects
      from ci_runners r left join ci_runner_managers m on m.runner_id = r.id and m.system_id = ${systemId ?? null}::text
      where r.token_digest = ${digestOf(token)}`.execute(db)
  const [runner] = rows
  if (runner === undefined) return undefined
  const hasExpired = runner.token_expires_at !== null && Date.parse(runner.token_expires_at) <= now.getTime()
  return hasExpired ? undefined : runner
}

/** Whether a runner is there as it was found: with the same token and the same settings. */
export async function isUnchanged(
  db: Db,
  { id, updated_at }: Pick<AskingRunner, 'id' | 'updated_at'>,
): Promise<boolean> {
  const { rows } = await sql`select from ci_runners where id = ${id} and updated_at = ${updated_at}`.execute(
    db,
  )
  return rows.length > 0
}
