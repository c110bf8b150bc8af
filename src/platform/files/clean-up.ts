import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import { defineTask, type JobContext, type QueueServices } from '#platform/jobs/task.ts'
import type { WorkFolders } from '#platform/work-folders.ts'
import type { Files } from './files.ts'
import { isUnreferenced, type Reference, referencesToFiles } from './references.ts'

/** How long a file waits for the transaction that refers to it. */
const PATIENCE = '1 day'
const FILES_PER_STATEMENT = 1_000

interface FileServices extends QueueServices {
  readonly files: Pick<Files, 'removeLeftovers'>
  readonly workFolders: Pick<WorkFolders, 'removeAbandoned'>
}

/** Removes files that nothing refers to, then bytes that belong to no file, then folders of works that nobody continues. */
export const cleanUpFiles = defineTask(
  'files/clean-up',
  'long',
  Type.Object({}),
  async (_, job: JobContext<FileServices>) => {
    const references = await referencesToFiles(job.db)
    let after: string | undefined = ''
    while (after !== undefined && !job.signal.aborted) {
      after = await removeUnused(job.db, references, after)
    }
    await job.files.removeLeftovers(job.signal)
    await job.workFolders.removeAbandoned()
  },
)

/**
 * Checks the next files by id and removes the unused ones. It deletes the row first and records the bytes as a
 * leftover in the same statement. It skips a file that was just used.
 * @returns the last id it checked; undefined at the end.
 */
async function removeUnused(db: Db, references: readonly Reference[], after: string) {
  const isUnused = sql<boolean>`f.used_at < now() - ${PATIENCE}::interval and ${isUnreferenced(references)}`
  const { rows } = await sql<{ id: string; unused: boolean }>`
    select f.id, ${isUnused} as unused from files f where f.id > ${after} order by f.id limit ${FILES_PER_STATEMENT}`.execute(
    db,
  )
  const unused = rows.flatMap(({ id, unused }) => (unused ? [id] : []))
  if (unused.length > 0) {
    await sql`
      with locked as (
        select f.id from files f where f.id = any(${unused}::text[]) and ${isUnused} for update skip locked
      ), gone as (
        delete from files using locked where files.id = locked.id returning files.key, files.storage
      )
      insert into file_leftovers (key, storage, state, due_at)
      select key, storage, 'removing', now() from gone`.execute(db)
  }
  return rows.length < FILES_PER_STATEMENT ? undefined : rows.at(-1)?.id
}
