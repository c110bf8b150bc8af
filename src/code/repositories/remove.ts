import { rm } from 'node:fs/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { mayRemove } from '#platform/db/locks.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { repairAll } from './repair.ts'
import { repositoryColumns } from './rows.ts'

/** Repositories whose folders are removed between two looks for more. */
const REPOSITORIES_PER_ROUND = 100

/**
 * Removes repositories that belong to nothing: their project, group or snippet is gone. The folder goes first, then the row,
 * so that a process may stop at any moment. Also finishes what processes that died have begun.
 */
export const tidyRepositories = defineTask('repositories/tidy', 'long', Type.Object({}), async (_, job) => {
  await repairAll(job.repositories)
  await withLease(job, 'remove repositories', async ({ signal }) => {
    let after = 0
    while (!signal.aborted && (after = await removeSome(job, after)) > 0);
  })
})

/** @returns the id of the last one; 0 at the end. A repository that cannot be removed now is tried again later. */
async function removeSome(job: JobContext, after: number): Promise<number> {
  const repositories = job.repositories
  const now = job.clock.now().toISOString()
  const rows = await job.db
    .selectFrom('repositories')
    .select(repositoryColumns)
    .where('project_id', 'is', null)
    .where('group_id', 'is', null)
    .where('id', '>', after)
    .where('snippet_id', 'is', null)
    .where(mayRemove())
    .where((eb) =>
      eb.or([
        eb('awaits_owner_until', 'is', null),
        eb('awaits_owner_until', '<', now),
        // Of a snippet that was deleted: see adoptForSnippet.
        eb('awaits_owner_until', '=', 'infinity'),
      ]),
    )
    .orderBy('id')
    .limit(REPOSITORIES_PER_ROUND)
    .execute()
  for (const row of rows) {
    try {
      const location = await repositories.locationOf(row)
      repositories.git.readers.forget(location)
      await rm(location.folder, { recursive: true, force: true })
      await job.db.deleteFrom('repositories').where('id', '=', row.id).execute()
      job.log.info({ repository: location.folder }, 'removed a repository')
    } catch (error) {
      job.log.error({ err: error, repository: row.relative_path }, 'a repository could not be removed')
    }
  }
  return rows.at(-1)?.id ?? 0
}

/** Forgets changes of references that were recorded a day ago: nobody has to compare them any more. */
export const forgetChanges = defineTask(
  'repositories/forget-changes',
  'long',
  Type.Object({}),
  async (_, job) => {
    await sql`delete from reference_changes 
      where ended_at < now() - interval '1 day' and ${mayRemove()}`.execute(job.db)
  },
)
