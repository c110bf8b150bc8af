import type { Static } from 'typebox'
import { Issue } from '#planning/issues/entity.ts'
import type { Api, List, Query } from '../frame/api.ts'
import type { Container } from '../frame/container.ts'
import type { Column } from './columns.ts'

const none: List<never> = { items: [], total: 0, next: undefined }

/** A page of the issues in a column. */
export async function issuesIn(
  api: Api,
  { api: address }: Container,
  { filter }: Column,
  page: Query,
): Promise<List<Static<typeof Issue>>> {
  if (filter === undefined) return none
  // A filter may have fifty names, which is more than a query has room for.
  return api.list(Issue, `${address}/issues`, { ...page, with_labels_details: true }, filter)
}
