import { sql } from 'kysely'
import { authorizeIfAllowed } from '#platform/access/act-for.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { notFound } from '#platform/refusals.ts'
import { mergeRequestNoteable as kind } from '../noteable.ts'
import { suggestionJson } from './suggestions-sql.ts'

/** A suggestion with where it stands and who made it. */
export type SuggestionRow = Awaited<ReturnType<typeof suggestionsWith>>[number]

/** These suggestions in this order, of the merge requests that the viewer may see. */
async function suggestionsWith(db: Db, viewer: Viewer, ids: readonly number[]) {
  const rows = await db
    .selectFrom('suggestions as s')
    .innerJoin('merge_requests as mr', 'mr.id', 's.merge_request_id')
    .innerJoin('notes as x', 'x.id', 's.note_id')
    .innerJoin('users as u', 'u.id', 'x.author_id')
    .select([
      's.id',
      's.merge_request_id',
      's.path',
      's.at_sha',
      's.from_line',
      's.to_line',
      's.from_content',
      's.to_content',
      's.applied_sha',
      'mr.project_id',
      'mr.iid',
      'x.internal',
      'x.author_id',
      'x.discussion_id',
      'u.name as author_name',
      sql<string>`coalesce(u.commit_email, u.email)`.as('author_email'),
      suggestionJson.as('shown'),
    ])
    .where(isAnyOf('s.id', ids))
    .where(kind.visibleTo(viewer, sql.ref('mr.id')))
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Suggestions of one merge request, and its project. */
export interface FoundSuggestions {
  readonly rows: readonly [SuggestionRow, ...SuggestionRow[]]
  readonly authorized: AuthorizedProject
}

/**
 * Finds suggestions, as far as the viewer may read their notes.
 * @returns undefined when they are of several merge requests
 * @throws 404 when one is not there for the viewer
 */
export async function findSuggestions(
  db: Db,
  viewer: Viewer,
  ids: readonly number[],
): Promise<FoundSuggestions | undefined> {
  const [first, ...others] = await suggestionsWith(db, viewer, ids)
  const missing = notFound('Suggestion')
  if (first === undefined || others.length + 1 < ids.length) throw missing
  const rows = [first, ...others] as const
  const authorized = await authorizeIfAllowed(db, viewer, first.project_id, 'read_merge_request')
  if (authorized === undefined) throw missing
  const readsInternal = authorized.can('read_internal_note')
  const isHidden = ({ internal, author_id, project_id }: SuggestionRow) =>
    internal && author_id !== viewer.id && !(readsInternal && project_id === first.project_id)
  if (rows.some(isHidden)) throw missing
  const isOfOne = others.every(({ merge_request_id }) => merge_request_id === first.merge_request_id)
  return isOfOne ? { rows: [...rows], authorized } : undefined
}
