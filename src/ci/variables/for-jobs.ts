import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import type { CiVariableType } from '#platform/db/schema.ts'
import { matches } from '#code/protected-references/match.ts'
import { openValue } from './values.ts'

/** A variable as jobs get it. */
export interface JobVariable {
  readonly key: string
  readonly value: string
  readonly variable_type: CiVariableType
  readonly raw: boolean
  /** Whether logs show it. */
  readonly masked: boolean
}

interface Asked {
  /** From the root group down to the project. */
  readonly traversalIds: readonly number[]
  /** Whether the branch or tag is protected: others do not get protected variables. */
  readonly protected: boolean
  /** The environment of the job, if it has one. */
  readonly environment?: string | undefined
}

interface Row {
  readonly key: string
  readonly value: Buffer
  readonly variable_type: CiVariableType
  readonly raw: boolean
  readonly masked: boolean
  readonly environment_scope: string
}

/**
 * The variables of the instance, the groups and the project for a job. Of several with one key, the one of the nearest counts, and of
 * those the one whose environments say most.
 */
export async function variablesForJobs(
  services: { readonly db: Db; readonly secrets: Secrets },
  { traversalIds, protected: isProtected, environment }: Asked,
): Promise<JobVariable[]> {
  const { rows } = await sql<Row>`
    select key, value, variable_type, raw, masked, environment_scope from ci_variables v
    where (namespace_id is null or namespace_id = any(${traversalIds}::bigint[])) and (${isProtected} or not v.protected)
    order by coalesce(array_position(${traversalIds}::bigint[], namespace_id), 0), length(environment_scope), id`.execute(
    services.db,
  )
  const nearest = new Map<string, Row>()
  for (const row of rows) if (isInScope(row.environment_scope, environment)) nearest.set(row.key, row)
  return Promise.all(
    [...nearest.values()].map(async ({ key, value, variable_type, raw, masked }) => ({
      key,
      value: await openValue(services, value),
      variable_type,
      raw,
      masked,
    })),
  )
}

/** Whether a scope, in which `*` stands for anything, means an environment. */
function isInScope(scope: string, environment: string | undefined): boolean {
  if (scope === '*') return true
  return environment !== undefined && matches(scope, environment)
}
