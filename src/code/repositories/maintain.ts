import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { QUARANTINE } from '#code/git/quarantine.ts'
import type { Repository } from '#code/git/repository.ts'
import { findRowById, type RepositoryRow } from './rows.ts'
import { sizeOf } from '#code/git/size.ts'

/** Changes of references after which a repository is packed: each has brought a pack. */
const EVERY = 25
/** Commits or references that come at once and are packed soon, as with a first push or an import. For fewer, it gains nothing. */
const MANY = 100
/** Milliseconds between two times that all objects are looked at, and those that nothing needs are removed. */
const COLLECT = 7 * 86_400_000
/** Milliseconds that a step may take. */
const TIME = 3 * 3_600_000
/** Milliseconds after which a quarantine belongs to no push any more. */
const STALE = 86_400_000

/** Packs a repository, so that it stays quick: few packs, packed references, a graph of its commits, bitmaps. */
export const maintainRepository = defineTask(
  'repositories/maintain',
  'long',
  Type.Object({ repository_id: Type.Integer() }),
  ({ repository_id }, job) =>
    withLease(job, `maintain repository ${repository_id}`, ({ signal }) =>
      maintain(repository_id, job, signal),
    ),
)

/** What a change of references has brought. */
export interface Brought {
  readonly commits: number
  readonly references: number
  /** How often references changed since maintenance was last here. */
  readonly changes: number
}

/** Asks for maintenance once in {@link EVERY} changes, and after large ones, in the transaction that records one. */
export async function maintainLater(
  tx: Tx,
  row: Pick<RepositoryRow, 'id'>,
  { commits, references, changes }: Brought,
): Promise<void> {
  if (changes % EVERY === 0 || commits >= MANY || references >= MANY)
    await enqueue(tx, maintainRepository, { repository_id: row.id })
}

async function maintain(id: number, job: JobContext, signal: AbortSignal): Promise<void> {
  const repositories = job.repositories
  const row = await findRowById(job.db, id)
  if (row === undefined || row.made_at === null) return
  const repository = await repositories.open(row)
  await repositories.assertThere(repository)
  const now = job.clock.now()
  const times = await job.db
    .selectFrom('repositories')
    .select(['collected_at', 'created_at', 'changes_since_maintenance'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const collects = now.getTime() - Date.parse(times.collected_at ?? times.created_at) > COLLECT
  const run = (...args: string[]) =>
    repository.git.capture(repository, args, { lane: 'keep', time: TIME, signal })
  if (collects) await run('gc', '--quiet', '--cruft', '--prune=2.weeks.ago')
  else await run('repack', '--geometric=2', '-d', '-l', '--quiet', '--write-midx', '--write-bitmap-index')
  await run('pack-refs', '--all', '--prune')
  await run('commit-graph', 'write', '--reachable', '--split', '--changed-paths')
  await removeQuarantines(repository, now.getTime())
  const size = await sizeOf(repository)
  await job.db
    .updateTable('repositories')
    .set((eb) => ({
      size,
      maintained_at: now.toISOString(),
      ...(collects && { collected_at: now.toISOString() }),
      changes_since_maintenance: eb('changes_since_maintenance', '-', times.changes_since_maintenance),
    }))
    .where('id', '=', id)
    .execute()
}

/** Removes the quarantines of pushes whose process died. */
async function removeQuarantines({ folder }: Repository, now: number): Promise<void> {
  const objects = join(folder, 'objects')
  for (const name of await readdir(objects)) {
    if (!name.startsWith(QUARANTINE)) continue
    const path = join(objects, name)
    const { mtimeMs } = await stat(path)
    if (now - mtimeMs > STALE) await rm(path, { recursive: true, force: true })
  }
}
