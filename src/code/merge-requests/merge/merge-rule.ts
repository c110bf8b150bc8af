import type { ReferenceRule } from '#code/repositories/rules.ts'
import { mergeOf } from '#code/repositories/merge-cause.ts'

const STALE = 'the merge request has changed meanwhile'

/**
 * Refuses a merge of what is not open any more, or has other commits by now. It runs in the turn of the repository. Whoever merges
 * looks again, and tries anew.
 */
export const mergeRule: ReferenceRule = {
  code: 'overtaken',
  async refusals(changes, { db, row, cause }) {
    const merge = mergeOf(cause)
    if (merge === undefined || row.project_id === null) return new Map()
    const found = await db
      .selectFrom('merge_requests')
      .select('id')
      .where('project_id', '=', row.project_id)
      .where('iid', '=', merge.iid)
      .where('state', '=', 'opened')
      .where('head_sha', '=', merge.head)
      .executeTakeFirst()
    return found === undefined ? new Map(changes.map(({ ref }) => [ref, STALE])) : new Map()
  },
}
