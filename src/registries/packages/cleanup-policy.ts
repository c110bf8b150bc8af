import { sql } from 'kysely'
import { Type } from 'typebox'
import { lockParent } from '#identity/namespaces/lock.ts'
import { levels } from '#platform/access/roles.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { PackageType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { scheduled } from '#platform/jobs/schedule.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { rulesOf } from './protection-rules.ts'
import type { PackagePlace } from './types.ts'

/** Hours from one run of a policy to the next. */
const EVERY = 12

/** A policy deletes what Maintainers may delete, who make it. */
const POLICY = { level: levels.maintainer, admin: false }

/** Rows of one transaction. */
const AT_ONCE = 1_000

/** How many files of one name each package of a project keeps; undefined for all. */
export const cleanupPolicyOf = (db: Db, projectId: number) =>
  db
    .selectFrom('package_cleanup_policies')
    .select(['keep_n_duplicated_package_files', 'next_run_at'])
    .where('project_id', '=', projectId)
    .executeTakeFirst()

/** @param keep at least 1; undefined keeps all */
export async function keepCleanupPolicy(
  tx: Tx,
  project: PackagePlace,
  keep: number | undefined,
): Promise<void> {
  await lockParent(tx, project.namespace_id)
  if (keep === undefined) {
    await tx.db.deleteFrom('package_cleanup_policies').where('project_id', '=', project.id).execute()
    return
  }
  const kept = { keep_n_duplicated_package_files: keep, next_run_at: later(new Date(tx.now)) }
  await tx.db
    .insertInto('package_cleanup_policies')
    .values({ project_id: project.id, ...kept })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(kept))
    .execute()
}

const later = (now: Date): string => new Date(now.getTime() + EVERY * 3_600_000).toISOString()

/** Runs the policies that are due: of files under one name of a package, only the newest stay. */
export const runPackageCleanupPolicies = defineTask(
  'packages/run-cleanup-policies',
  'long',
  Type.Object({}),
  (_, job) =>
    withLease(job, 'cleanup policies of packages', async (lease) => {
      for (;;) {
        lease.signal.throwIfAborted()
        const due = await job.db
          .selectFrom('package_cleanup_policies')
          .select(['project_id', 'keep_n_duplicated_package_files as keep'])
          .where('next_run_at', '<=', job.clock.now().toISOString())
          .orderBy('next_run_at')
          .limit(1)
          .executeTakeFirst()
        if (due === undefined) return
        await cleanUp(job, due, lease.signal)
      }
    }),
)

interface Duplicate {
  readonly id: number
  readonly name: string
  readonly package_type: PackageType
}

async function cleanUp(
  job: JobContext,
  { project_id, keep }: { readonly project_id: number; readonly keep: number },
  signal: AbortSignal,
): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined;) {
    signal.throwIfAborted()
    const from: number = after
    after = await job.transact(async ({ db }) => {
      const { rows } = await sql<Duplicate>`
        select f.id, k.name, k.package_type from (
            select d.id, d.package_id, row_number() over (partition by d.package_id, d.file_name order by d.id desc) as place
            from package_files d where d.project_id = ${project_id}
          ) as f join packages k on k.id = f.package_id
        where f.place > ${keep} and f.id > ${from} order by f.id limit ${AT_ONCE}`.execute(db)
      const rules = await rulesOf(db, project_id, 'delete')
      const ids = rows.filter((row) => rules.against(row, POLICY) === undefined).map(({ id }) => id)
      await db.deleteFrom('package_files').where(isAnyOf('id', ids)).execute()
      return rows.length < AT_ONCE ? undefined : rows.at(-1)?.id
    })
  }
  await job.transact(({ db, now }) =>
    db
      .updateTable('package_cleanup_policies')
      .set({ next_run_at: later(new Date(now)) })
      .where('project_id', '=', project_id)
      .execute(),
  )
}

export const packageCleanup = scheduled('23 * * * *', runPackageCleanupPolicies, {})
