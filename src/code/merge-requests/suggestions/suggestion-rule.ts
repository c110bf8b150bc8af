import { isAnyOf } from '#platform/db/any-of.ts'
import type { ReferenceRule } from '#code/repositories/rules.ts'
import { suggestionsOfCause } from './cause.ts'

const STALE = 'the suggestions or the merge request have changed meanwhile'

/** Refuses to apply what was applied, changed or closed meanwhile. It runs in the turn of the repository. */
export const suggestionRule: ReferenceRule = {
  code: 'overtaken',
  async refusals(changes, { db, cause }) {
    const applied = suggestionsOfCause(cause)
    if (applied === undefined) return new Map()
    const { mergeRequestId, ids } = applied
    const left = await db
      .selectFrom('suggestions as s')
      .innerJoin('merge_requests as mr', 'mr.id', 's.merge_request_id')
      .select('s.id')
      .where(isAnyOf('s.id', ids))
      .where('mr.id', '=', mergeRequestId)
      .where('mr.state', '=', 'opened')
      .where('s.applied_sha', 'is', null)
      .execute()
    return left.length === ids.length ? new Map() : new Map(changes.map(({ ref }) => [ref, STALE]))
  },
}
