import { sql } from 'kysely'
import { Type } from 'typebox'
import { levels } from '#platform/access/roles.ts'
import { PatternRefused } from '#platform/client-pattern.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { completed, type ProjectSettings, type StoredSettings } from '#tenancy/projects/project-settings.ts'
import { cleanUpRepository, type TagSelection } from './delete-tags.ts'
import { readDuration } from './durations.ts'
import { isRepositoryOpen } from './protection.ts'

type Policy = ProjectSettings['container_expiration_policy']

/** A policy deletes what Maintainers may delete, who make it. */
const POLICY = { level: levels.maintainer, admin: false }

/** Projects that are read at once. */
const AT_ONCE = 100

interface Due {
  readonly id: number
  readonly settings: StoredSettings
}

/** Runs the cleanup policies of projects that are due, and notes when each runs next. */
export const runCleanupPolicies = defineTask(
  'container-registry/run-cleanup-policies',
  'long',
  Type.Object({}),
  (_, job) =>
    withLease(job, 'cleanup policies of container repositories', async (lease) => {
      const now = job.clock.now().toISOString()
      await noteEnabled(job, now)
      for (;;) {
        lease.signal.throwIfAborted()
        const { rows } = await sql<Due>`
          select p.id, p.settings from container_cleanup_runs c join projects p on p.id = c.project_id
          where c.next_run_at <= ${now} order by c.next_run_at limit ${AT_ONCE}`.execute(job.db)
        if (rows.length === 0) return
        for (const { id, settings } of rows)
          await runPolicy(job, id, completed(settings).container_expiration_policy)
      }
    }),
)

/** Notes the projects that have enabled a policy: its first run is this one. */
async function noteEnabled(job: JobContext, now: string): Promise<void> {
  await job.transact(({ db }) =>
    sql`
    insert into container_cleanup_runs (project_id, next_run_at)
      select p.id, ${now}::timestamptz
      from projects p
      where p.settings -> 'container_expiration_policy' ->> 'enabled' = 'true'
        and not exists (select from container_cleanup_runs c where c.project_id = p.id)
        and exists (select from container_repositories r where r.project_id = p.id)
    on conflict do nothing`.execute(db),
  )
}

async function runPolicy(job: JobContext, projectId: number, policy: Policy): Promise<void> {
  const selection = selectionOf(policy)
  if (selection !== undefined) {
    const repositories = await job.db
      .selectFrom('container_repositories')
      .select(['id', 'name as rest'])
      .where('project_id', '=', projectId)
      .where('status', 'is', null)
      .orderBy('id')
      .execute()
    for (const { id, rest } of repositories) {
      if (!(await isRepositoryOpen(job.db, { project: { id: projectId }, rest, role: POLICY }, 'delete')))
        continue
      await job.transact(({ db, now }) =>
        db
          .updateTable('container_repositories')
          .set({ cleanup_policy_started_at: now })
          .where('id', '=', id)
          .execute(),
      )
      try {
        await cleanUpRepository(job, id, selection)
      } catch (error) {
        if (!(error instanceof PatternRefused)) throw error
        job.log.warn(
          { project: projectId, why: error.message },
          'an expression of a cleanup policy is refused',
        )
      }
    }
  }
  const next = new Date(job.clock.now().getTime() + (readDuration(policy.cadence) ?? 86_400) * 1_000)
  await job.transact(async ({ db }) => {
    if (policy.enabled)
      await db
        .updateTable('container_cleanup_runs')
        .set({ next_run_at: next.toISOString() })
        .where('project_id', '=', projectId)
        .execute()
    else await db.deleteFrom('container_cleanup_runs').where('project_id', '=', projectId).execute()
  })
}

/** What a policy deletes; undefined for nothing. */
export function selectionOf({
  enabled,
  keep_n,
  older_than,
  name_regex,
  name_regex_keep,
}: Policy): TagSelection | undefined {
  if (!enabled || name_regex === null || name_regex === '') return undefined
  const age = older_than === null ? undefined : readDuration(older_than)
  return {
    name_regex_delete: name_regex,
    ...(name_regex_keep !== null && name_regex_keep !== '' && { name_regex_keep }),
    ...(keep_n !== null && { keep_n }),
    ...(age !== undefined && { older_than: age }),
  }
}
