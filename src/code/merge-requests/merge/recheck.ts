import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import type { MergeRequestRow } from '../queries.ts'
import { checkLater } from './check-mergeability.ts'

type Checked = Pick<MergeRequestRow, 'id' | 'state' | 'merge_status'>

const isOutdated = ({ state, merge_status }: Checked): boolean =>
  state === 'opened' && (merge_status === 'unchecked' || merge_status === 'cannot_be_merged_recheck')

/**
 * Has those of some merge requests checked of which nobody knows whether they can be merged.
 * @returns them as they are now, so that readers see that the answer comes.
 */
export async function recheck<Row extends Checked>(
  source: TransactionSource,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const ids = rows.filter(isOutdated).map(({ id }) => id)
  if (ids.length === 0) return rows
  await transact(source, { author: null, ip: null }, (tx) => checkLater(tx, ids))
  return rows.map((row) => (isOutdated(row) ? { ...row, merge_status: 'checking' } : row))
}
