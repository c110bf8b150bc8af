import type { Static } from 'typebox'
import { Issue } from '#planning/issues/entity.ts'
import type { Api, List, Query } from '../frame/api.ts'
import type { Column } from './columns.ts'
import type { BoardPlace } from './place.ts'

const none: List<never> = { items: [], total: 0, next: undefined }

/** A page of the issues in a column. */
export async function issuesIn(
  api: Api,
  place: BoardPlace,
  { query }: Column,
  page: Query,
): Promise<List<Static<typeof Issue>>> {
  if (query === undefined) return none
  return api.list(Issue, `${place.api}/issues`, { ...query, ...page, with_labels_details: true })
}
