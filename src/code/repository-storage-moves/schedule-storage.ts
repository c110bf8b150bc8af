import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { oneOf } from '#platform/http/schema.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { assertStorage } from '#code/repositories/chosen-storage.ts'
import type { Storages } from '#code/repositories/storages.ts'
import { scheduleMove } from './create-move.ts'
import { assertElsewhere, destinationOf } from './destination.ts'
import { columnOf, type OwnerKind, ownerKinds } from './owners.ts'

/** Repositories in one transaction. */
const REPOSITORIES_PER_TRANSACTION = 200

/** Schedules a move for each project, group or snippet that has a repository on a storage. */
export const scheduleStorage = defineTask(
  'repository-storage-moves/schedule-storage',
  'long',
  Type.Object({
    kind: oneOf(ownerKinds),
    source: Type.String(),
    /** Without it the weights choose for each of them. */
    destination: Type.Optional(Type.String()),
  }),
  (wishes, job) =>
    withLease(job, `schedule storage moves of ${wishes.kind}s`, async ({ signal }) => {
      let after = 0
      while (!signal.aborted && (after = await scheduleSome(wishes, job, after)) > 0);
    }),
)

interface StorageWishes {
  readonly kind: OwnerKind
  readonly source: string
  readonly destination?: string
}

/** @throws 400 for storages that are unknown or the same, and where no other one has a weight */
export async function scheduleStorageLater(
  tx: Tx,
  wishes: StorageWishes,
  { storages, settings }: { readonly storages: Storages; readonly settings: Settings },
): Promise<void> {
  const { kind, source, destination } = wishes
  assertStorage(storages, 'source_storage_name', source)
  assertStorage(storages, 'destination_storage_name', destination)
  assertElsewhere(source, destinationOf(storages, settings, { source, named: destination }))
  await enqueue(tx, scheduleStorage, wishes)
  record(tx, {
    name: 'repository storage moves scheduled',
    namespace: null,
    target: null,
    details: { kind, from: source, to: destination ?? null },
  })
}

/** @returns the id of the last repository; 0 at the end. What moves already, or has moved, is left alone. */
async function scheduleSome(wishes: StorageWishes, job: JobContext, after: number): Promise<number> {
  const { storages, settings: current } = job.repositories
  const settings = current()
  const { kind, source } = wishes
  const column = columnOf[kind]
  return job.transact(async (tx) => {
    const rows = await tx.db
      .selectFrom('repositories')
      .select(['id', `${column} as owner`])
      .where('storage', '=', source)
      .where(column, 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(REPOSITORIES_PER_TRANSACTION)
      .execute()
    const owners = [...new Set(rows.flatMap(({ owner }) => (owner === null ? [] : [owner])))]
    const destinations = owners.map(() =>
      destinationOf(storages, settings, { source, named: wishes.destination }),
    )
    const { rows: moves } = await sql<{ id: number }>`
      insert into repository_storage_moves
        (${sql.ref(column)}, source_storage_name, destination_storage_name, created_at, updated_at)
      select owner, ${source}, destination, ${tx.now}, ${tx.now}
      from unnest(${owners}::bigint[], ${destinations}::text[]) as t (owner, destination)
      on conflict do nothing returning id`.execute(tx.db)
    for (const { id } of moves) await scheduleMove(tx, id, settings)
    return rows.at(-1)?.id ?? 0
  })
}
