import type { ThreadResolving } from '#planning/noteables/kind.ts'
import { aboutMergeRequest } from '../facts-about.ts'

/** Threads on merge requests. Members from Developer on resolve them, and the author of the merge request. */
export const mergeRequestThreads: ThreadResolving = {
  async may(tx, { id }, caller) {
    if (caller.project().can('admin_merge_request')) return true
    const row = await tx.db
      .selectFrom('merge_requests')
      .select('author_id')
      .where('id', '=', id)
      .executeTakeFirst()
    return row !== undefined && row.author_id === tx.author?.id
  },
  allResolved: (target) => ({
    ...aboutMergeRequest(target),
    name: 'merge request threads resolved',
    details: {},
  }),
}
