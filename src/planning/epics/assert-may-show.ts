import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { invalid } from '#platform/refusals.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'

/**
 * Nobody makes the epic of an issue confidential until the transaction ends.
 * @throws 400 for an issue that is to be shown although its epic is confidential
 */
export async function assertMayShowIssue(tx: Tx, issueId: number): Promise<void> {
  const epicOf = () =>
    sql<{ id: number; confidential: boolean }>`
      select e.id, e.confidential from epic_issues k join epics e on e.id = k.epic_id where k.issue_id = ${issueId}`.execute(
      tx.db,
    )
  const [epic] = (await epicOf()).rows
  if (epic === undefined) return
  await lockReferencedRows(tx, { noteables: [epic.id] })
  const [now] = (await epicOf()).rows
  if (now?.confidential === true)
    throw invalid({ confidential: ['cannot be removed from an issue of a confidential epic'] })
}
