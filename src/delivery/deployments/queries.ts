import { sql } from 'kysely'
import type { Static } from 'typebox'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { EnvironmentRow } from '../environments/entity.ts'
import { lockEnvironment } from '../environments/queries.ts'
import { deploymentColumns, type DeploymentRow, type ShownEnvironment, type ShownRow } from './entity.ts'
import type { DeploymentFilter } from './parameters.ts'

const user = sql<UserBasicRow | null>`(select ${userBasicJson('u')} from users u where u.id = d.user_id)`

const environment = sql<ShownEnvironment>`(
  select json_build_object('id', e.id, 'name', e.name, 'slug', e.slug, 'tier', e.tier, 'external_url', e.external_url,
    'created_at', e.created_at, 'updated_at', e.updated_at)
  from environments e where e.id = d.environment_id)`

/** Those of a project that were deleted and are not yet removed: few, for a moment. */
const deletedEnvironments = (projectId: number) => sql<number[]>`array(
  select x.id from environments x where x.project_id = ${projectId} and x.deleted_at is not null)`

/** The deployments of a project, with who deployed them and where. Those of a deleted environment went with it. */
export const deploymentsOf = (db: Db | Tx['db'], projectId: number) =>
  db
    .selectFrom('deployments as d')
    .select(deploymentColumns.map((name) => `d.${name}` as const))
    .select([user.as('user'), environment.as('environment')])
    .where('d.project_id', '=', projectId)
    .where(sql<boolean>`d.environment_id <> all(${deletedEnvironments(projectId)})`)

type DeploymentQuery = ReturnType<typeof deploymentsOf>

export function filterDeployments(
  query: DeploymentQuery,
  filter: Static<typeof DeploymentFilter>,
  projectId: number,
): DeploymentQuery {
  const { status, environment: name, updated_after, updated_before, finished_after, finished_before } = filter
  const named = sql<boolean>`d.environment_id = (
    select e.id from environments e where e.project_id = ${projectId} and e.name = ${name} and e.deleted_at is null)`
  return query
    .$if(status !== undefined, (q) => q.where('d.status', '=', status ?? 'success'))
    .$if(name !== undefined && name !== '', (q) => q.where(named))
    .$if(updated_after !== undefined, (q) => q.where('d.updated_at', '>=', updated_after ?? ''))
    .$if(updated_before !== undefined, (q) => q.where('d.updated_at', '<=', updated_before ?? ''))
    .$if(finished_after !== undefined, (q) => q.where('d.finished_at', '>=', finished_after ?? ''))
    .$if(finished_before !== undefined, (q) => q.where('d.finished_at', '<=', finished_before ?? ''))
}

/** Finds a deployment with everything that an answer shows. @throws 404 */
export async function findDeployment(db: Db | Tx['db'], projectId: number, id: number): Promise<ShownRow> {
  return deploymentsOf(db, projectId)
    .where('d.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())
}

/** A deployment that this transaction has locked, with its environment. */
export interface LockedDeployment {
  readonly deployment: DeploymentRow
  readonly environment: EnvironmentRow
}

/**
 * Locks a deployment and, before it, its environment: nobody else deploys there or changes either until the transaction
 * ends.
 * @param deletes whether the deployment will be deleted.
 * @throws 404
 */
export async function lockDeployment(
  tx: Tx,
  projectId: number,
  id: number,
  deletes = false,
): Promise<LockedDeployment> {
  const one = tx.db
    .selectFrom('deployments')
    .select(deploymentColumns)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
  const known = await one.executeTakeFirstOrThrow(() => notFound())
  const at = await lockEnvironment(tx, projectId, known.environment_id)
  const deployment = await (deletes ? one.forUpdate() : one.forNoKeyUpdate()).executeTakeFirstOrThrow(() =>
    notFound(),
  )
  return { deployment, environment: at }
}

/** What is deployed to an environment: the newest that succeeded. */
export const lastDeployment = (db: Db | Tx['db'], projectId: number, environmentId: number) =>
  deploymentsOf(db, projectId)
    .where('d.environment_id', '=', environmentId)
    // A constant, because the index covers only these.
    .where(sql<boolean>`d.status = 'success'`)
    .orderBy('d.id', 'desc')
    .limit(1)
    .executeTakeFirst()
