import type { Db } from '#platform/db/pool.ts'
import type { RepositoryStorageMoveState } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** A move as jobs see it. */
export interface MoveRow {
  readonly id: number
  readonly project_id: number | null
  readonly group_id: number | null
  readonly snippet_id: number | null
  readonly state: RepositoryStorageMoveState
  readonly source_storage_name: string
  readonly destination_storage_name: string
}

const columns = [
  'id',
  'project_id',
  'group_id',
  'snippet_id',
  'state',
  'source_storage_name',
  'destination_storage_name',
] as const

/** Undefined when it went with its owner. */
export function findMove(db: Db | Tx['db'], id: number): Promise<MoveRow | undefined> {
  return db.selectFrom('repository_storage_moves').select(columns).where('id', '=', id).executeTakeFirst()
}

/** The same for a change: others wait until the transaction ends. */
export function lockMove(tx: Tx, id: number): Promise<MoveRow | undefined> {
  return tx.db
    .selectFrom('repository_storage_moves')
    .select(columns)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export async function setState(
  tx: Tx,
  id: number,
  state: RepositoryStorageMoveState,
  error: string | null = null,
): Promise<void> {
  await tx.db
    .updateTable('repository_storage_moves')
    .set({ state, error: error?.slice(0, 1_000) ?? null, updated_at: tx.now })
    .where('id', '=', id)
    .execute()
}

/** Only one process at a time works on a move. */
export const leaseOf = (id: number): string => `repository storage move ${id}`
