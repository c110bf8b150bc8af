import { sql } from 'kysely'
import type { JobRow } from '#code/jobs/entity.ts'
import { jobs } from '#code/jobs/queries.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'

type JobQuery = ReturnType<typeof jobs>

/** The jobs of a project that run something, also those that a later run has replaced. */
export const jobsOfProject = (db: Db, projectId: number): JobQuery =>
  jobs(db).where('j.project_id', '=', projectId).where('j.bridge', '=', false)

/** @param scope statuses; empty for all */
export const inScope = (query: JobQuery, scope: readonly CiStatus[] | undefined): JobQuery =>
  scope === undefined || scope.length === 0
    ? query
    : query.where(sql<boolean>`j.status = any(${scope}::ci_status[])`)

/** A job of a project. @throws 404 */
export const findJob = (db: Db | Tx['db'], projectId: number, id: number): Promise<JobRow> =>
  jobs(db)
    .where('j.project_id', '=', projectId)
    .where('j.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())
