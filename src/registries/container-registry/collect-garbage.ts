import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'

/** Hours that what nobody names stays, for whoever is about to name it. */
const GRACE = 24
/** Repositories that are looked for at once, and rows in a transaction. */
const REPOSITORIES = 500
const AT_ONCE = 500

/**
 * Removes what no tag leads to: manifests without a tag that no index has and that are about nothing which is there, blobs that no
 * manifest names, uploads that nobody goes on with. All of it has lain for a day, counted from when somebody last asked for it: a client
 * that finds a blob does not send it again, and names it within that time. The files go with the clean-up of files.
 */
export const collectGarbage = defineTask(
  'container-registry/collect-garbage',
  'long',
  Type.Object({}),
  (_, job) =>
    withLease(job, 'collect garbage of container repositories', async (lease) => {
      const until = new Date(job.clock.now().getTime() - GRACE * 3_600_000).toISOString()
      await removeUploads(job, until)
      for (let after = 0; ;) {
        const some = await job.db
          .selectFrom('container_repositories')
          .select('id')
          .where('id', '>', after)
          .orderBy('id')
          .limit(REPOSITORIES)
          .execute()
        for (const { id } of some) {
          lease.signal.throwIfAborted()
          await collectFrom(job, id, until)
        }
        const last = some.at(-1)
        if (last === undefined) return
        after = last.id
      }
    }),
)

async function removeUploads(job: JobContext, until: string): Promise<void> {
  for (let some = AT_ONCE; some === AT_ONCE;) {
    job.signal.throwIfAborted()
    some = await job.transact(async ({ db }) => {
      const { numAffectedRows = 0n } = await sql`
        delete from container_uploads where id in (
          select id from container_uploads where updated_at < ${until} limit ${AT_ONCE} for update skip locked)`.execute(
        db,
      )
      return Number(numAffectedRows)
    })
  }
}

/** Removes what nobody needs of one repository. */
export async function collectFrom(
  job: Pick<JobContext, 'transact' | 'signal'>,
  repositoryId: number,
  until: string,
): Promise<void> {
  // An index that goes may leave its manifests, and those their blobs.
  for (const remove of [removeManifests, removeBlobs]) {
    for (let some = 1; some > 0;) {
      job.signal.throwIfAborted()
      some = await job.transact(async (tx) => {
        // Whoever names something shares this lock, so that what is named is seen here.
        await sql`select from container_repositories where id = ${repositoryId} for no key update`.execute(
          tx.db,
        )
        return remove(tx, repositoryId, until)
      })
    }
  }
}

async function removeManifests({ db }: Tx, repositoryId: number, until: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from container_manifests where touched_at < ${until} and id = any(array(
      select m.id from container_manifests m
      where m.repository_id = ${repositoryId} and m.touched_at < ${until}
        and not exists (select from container_tags t where t.manifest_id = m.id)
        and not exists (select from container_manifest_children c where c.child_id = m.id)
        and not exists (select from container_manifests s where s.repository_id = m.repository_id and s.digest = m.subject)
      limit ${AT_ONCE}))`.execute(db)
  return Number(numAffectedRows)
}

async function removeBlobs({ db }: Tx, repositoryId: number, until: string): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from container_blobs where touched_at < ${until} and id = any(array(
      select b.id from container_blobs b
      where b.repository_id = ${repositoryId} and b.touched_at < ${until}
        and not exists (select from container_manifest_blobs m where m.blob_id = b.id)
      limit ${AT_ONCE}))`.execute(db)
  return Number(numAffectedRows)
}
