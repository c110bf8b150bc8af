import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '#platform/refusals.ts'
import type { Lease } from '#platform/jobs/lease.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import {
  allReferences,
  checksumOf,
  copyMissing,
  copySettings,
  replaceReferences,
  verifyObjects,
} from '#code/git/mirror.ts'
import type { Repository } from '#code/git/repository.ts'
import { sizeOf } from '#code/git/size.ts'
import { pendingIntents } from '#code/repositories/intents.ts'
import { makeFolder } from '#code/repositories/make-repository.ts'
import { repairRepository } from '#code/repositories/repair.ts'
import { type Repositories } from '#code/repositories/repositories.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { Pace } from './pace.ts'
import { type Copy, MOVING } from './start-move.ts'
import { reached } from './steps.ts'

/** Copies a repository that is read-only, and compares the copy with it. Nothing is served from the copy yet. */
export async function copyRepository(copy: Copy, job: JobContext, lease: Lease): Promise<void> {
  const repositories = job.repositories
  const row = await repositories.reload({ id: copy.repository_id })
  // It was deleted with its owner; housekeeping removes what was copied.
  if (row === undefined) return
  const made = row.made_at === null ? await repositories.make(row, repositories.defaultBranch) : undefined
  const source = made ?? (await repositories.open(row))
  await repositories.assertThere(source)
  await drain(repositories, source, lease.signal)
  await reached('drained', copy.move_id)
  const target = await targetOf(repositories, copy)
  const { signal } = lease
  const pace = new Pace(job, repositories.settings, copy.move_id, await sizeOf(source))
  const options = { signal, pace: (pack: AsyncIterable<Buffer>) => pace.of(pack) }
  if (copy.copied_at === null) {
    // What a process that died has left: it is half of a copy.
    await rm(target.folder, { recursive: true, force: true })
    await makeFolder(repositories.git, target.folder, row.default_branch ?? repositories.defaultBranch)
    const wanted = await allReferences(source)
    await copyMissing(source, target, { wanted, known: [] }, options)
    signal.throwIfAborted()
    await replaceReferences(target, wanted)
    await job.db
      .updateTable('repository_storage_copies')
      .set({ copied_at: job.clock.now().toISOString() })
      .where('id', '=', copy.id)
      .execute()
    await reached('copied', copy.move_id)
  }
  await catchUp(source, target, options)
  await copySettings(source, target)
  await verifyObjects(target, signal)
  const [ours, theirs] = [await checksumOf(source, signal), await checksumOf(target, signal)]
  if (ours.references !== theirs.references || ours.objects !== theirs.objects)
    throw new Error(`the checksums of ${source.folder} and of its copy differ`)
  await pace.finish()
  repositories.git.readers.forget(target)
  await reached('verified', copy.move_id)
  job.log.info({ move: copy.move_id, repository: row.id, objects: ours.count }, 'copied a repository')
}

async function targetOf(repositories: Repositories, copy: Copy): Promise<Repository> {
  const { destination_storage: storage, destination_path: relative_path } = copy
  const location = await repositories.locationOf({ storage, relative_path })
  return { id: copy.repository_id, git: repositories.git, ...location }
}

/** Milliseconds for which changes that were under way when the repository became read-only may take. */
const PATIENCE = 10 * 60_000
const AGAIN = 100

/** Waits until nobody changes references any more. Changes whose process died are finished here. */
async function drain(
  repositories: Repositories,
  source: StoredRepository,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + PATIENCE
  for (;;) {
    signal.throwIfAborted()
    await repositories.turns.take(source.id, () => repairRepository(repositories, source))
    if ((await pendingIntents(repositories, source.id, new Set())).length === 0) return
    if (performance.now() > until)
      throw unavailable(`${source.folder} is being changed all the time (${MOVING})`)
    await pause(AGAIN, undefined, { signal })
  }
}

/** Hidden references may come in between, because they are made without an intent. */
const ROUNDS = 10

async function catchUp(
  source: Repository,
  target: Repository,
  options: Parameters<typeof copyMissing>[3],
): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [wanted, known] = [await allReferences(source), await allReferences(target)]
    if (JSON.stringify(wanted) === JSON.stringify(known)) return
    await copyMissing(source, target, { wanted, known }, options)
    await replaceReferences(target, wanted)
  }
  throw unavailable(`the references of ${source.folder} change all the time`)
}
