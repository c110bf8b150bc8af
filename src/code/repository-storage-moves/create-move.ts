import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { assertStorage } from '#code/repositories/chosen-storage.ts'
import { DEFAULT_STORAGE, type Storages } from '#code/repositories/storages.ts'
import { assertElsewhere, destinationOf } from './destination.ts'
import { aboutMove } from './facts.ts'
import { columnOf, mainKindOf, type MoveOwner } from './owners.ts'
import { runMove } from './run-move.ts'

export interface MoveWishes {
  readonly storages: Storages
  readonly settings: Settings
  readonly destination: string | undefined
}

/**
 * Schedules a move of all repositories of a project, group or snippet.
 * @returns the id of the move
 * @throws 400 for a storage that is unknown or where they are already, and while another move is under way
 */
export async function createMove(
  tx: Tx,
  owner: MoveOwner,
  { storages, settings, destination: named }: MoveWishes,
): Promise<number> {
  assertStorage(storages, 'destination_storage_name', named)
  const present = await storagesOf(tx, owner)
  const [main = DEFAULT_STORAGE] = present
  const destination = destinationOf(storages, settings, { source: main, named })
  const source = present.find((storage) => storage !== destination) ?? main
  assertElsewhere(source, destination)
  const id = await insertMove(tx, owner, { source, destination })
  await scheduleMove(tx, id, settings)
  const details = { name: owner.name, from: source, to: destination }
  record(tx, { name: 'repository storage move scheduled', ...aboutMove(owner), details })
  return id
}

/** Where the repositories of an owner are, the main one first. */
async function storagesOf(tx: Tx, { kind, id }: MoveOwner): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('repositories')
    .select('storage')
    .where(columnOf[kind], '=', id)
    .orderBy((eb) => eb('kind', '=', mainKindOf(kind)), 'desc')
    .execute()
  return rows.map(({ storage }) => storage)
}

async function insertMove(
  tx: Tx,
  { kind, id }: MoveOwner,
  { source, destination }: { readonly source: string; readonly destination: string },
): Promise<number> {
  const row = await tx.db
    .insertInto('repository_storage_moves')
    .values({
      [columnOf[kind]]: id,
      source_storage_name: source,
      destination_storage_name: destination,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .onConflict((oc) => oc.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (row === undefined) throw invalid({ [kind]: ['has a storage move under way'] })
  return row.id
}

/** Hands a move to a job. As many run at once as the setting says, because jobs of one queue run one after the other. */
export async function scheduleMove(tx: Tx, id: number, settings: Settings): Promise<void> {
  await tx.db
    .updateTable('repository_storage_moves')
    .set({ state: 'scheduled', updated_at: tx.now })
    .where('id', '=', id)
    .where('state', '=', 'initial')
    .execute()
  const queue = `repository storage moves ${id % settings.repository_storage_moves_at_once}`
  await enqueue(tx, runMove, { move_id: id }, { queue })
}
