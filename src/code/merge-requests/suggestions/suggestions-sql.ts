import { type RawBuilder, sql } from 'kysely'
import type { Suggestion } from '#planning/noteables/suggesting.ts'

/** Whether the suggestion `s`, of the merge request `mr`, can be applied as far as the database knows. */
const isAppliable = sql<boolean>`(s.applied_sha is null and not s.outdated and not s.branch_gone
  and s.from_content <> s.to_content and mr.state = 'opened' and mr.source_project_id is not null)`

/** The suggestion `s`, of the merge request `mr`, as JSON. */
export const suggestionJson = sql<Suggestion>`json_build_object('id', s.id, 'from_line', s.from_line, 'to_line', s.to_line,
  'appliable', ${isAppliable}, 'applied', s.applied_sha is not null, 'from_content', s.from_content, 'to_content', s.to_content)`

/** Those of a note; null for none. */
export const suggestionsOf = (note: RawBuilder<number>) => sql<readonly Suggestion[] | null>`(
  select json_agg(${suggestionJson} order by s.id)
    from suggestions s join merge_requests mr on mr.id = s.merge_request_id where s.note_id = ${note})`
