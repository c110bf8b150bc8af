import { sql } from 'kysely'
import { lockText } from '#platform/db/locks.ts'
import type { AuthorizedContainer } from '#platform/access/projects-and-groups.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { MAX_BOARDS } from './limits.ts'
import { heldInPlace, type NamedScope, resolveScope } from './resolve-scope.ts'
import { setLabels } from './set-labels.ts'

export interface NewBoard extends NamedScope {
  readonly name: string
  readonly hide_backlog_list?: boolean
  readonly hide_closed_list?: boolean
  readonly weight?: number | null
}

/**
 * Makes a board of a project or group, without lists.
 * @returns its id.
 * @throws 400 when there are too many, and for a label, milestone or person that is not there.
 */
export async function createBoard(
  tx: Tx,
  authorized: AuthorizedContainer,
  { name: given, hide_backlog_list = false, hide_closed_list = false, weight = null, ...named }: NewBoard,
): Promise<number> {
  const held = await heldInPlace(tx, authorized)
  const { namespace_id } = held.container
  await lockText(tx, `boards ${namespace_id}`)
  await assertRoom(tx, namespace_id)
  const { milestone_id = null, assignee_id = null, label_ids = [] } = await resolveScope(tx, held, named)
  const name = given.trim()
  const { id } = await tx.db
    .insertInto('boards')
    .values({
      namespace_id,
      name,
      hide_backlog_list,
      hide_closed_list,
      milestone_id,
      assignee_id,
      weight,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (label_ids.length > 0) await setLabels(tx, id, label_ids)
  record(tx, {
    name: 'board created',
    namespace: namespace_id,
    target: { type: 'Board', id },
    details: { name },
  })
  return id
}

async function assertRoom(tx: Tx, namespaceId: number): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from boards where namespace_id = ${namespaceId}`.execute(tx.db)
  if ((rows[0]?.count ?? 0) >= MAX_BOARDS)
    throw invalid({ board: [`cannot be added: ${MAX_BOARDS} are the most`] })
}
