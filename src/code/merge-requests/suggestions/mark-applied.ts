import { isAnyOf } from '#platform/db/any-of.ts'
import { record } from '#platform/facts/record.ts'
import type { RecordStep } from '#code/repositories/record-changes.ts'
import { aboutMergeRequest } from '../facts-about.ts'
import { lockMergeRequests } from '../pushes/lock-merge-requests.ts'
import { suggestionsOfCause } from './cause.ts'

/** Marks suggestions as applied in the transaction that records their commit, so that neither comes without the other. */
export const markApplied: RecordStep = {
  async prepare({ cause, changes: [change] }) {
    const applied = suggestionsOfCause(cause)
    if (applied === undefined || change === undefined) return async () => {}
    const { mergeRequestId, ids } = applied
    return async (tx) => {
      await lockMergeRequests(tx, [mergeRequestId])
      const rows = await tx.db
        .updateTable('suggestions')
        .set({ applied_sha: change.after, outdated: false })
        .where(isAnyOf('id', ids))
        .where('merge_request_id', '=', mergeRequestId)
        .returning('path')
        .execute()
      const on = await tx.db
        .selectFrom('noteables')
        .select(['id', 'namespace_id'])
        .where('id', '=', mergeRequestId)
        .executeTakeFirst()
      if (on === undefined || rows.length === 0) return
      const files = new Set(rows.map(({ path }) => path)).size
      const details = { suggestions: rows.length, files }
      record(tx, { ...aboutMergeRequest(on), name: 'merge request suggestions applied', details })
    }
  },
}
