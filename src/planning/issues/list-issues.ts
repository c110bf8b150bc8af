import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import type { ListOrder, ListRequest, PageQuery } from '#platform/http/order.ts'
import type { ListSelection } from '#planning/noteables/list/find.ts'
import { listItems } from '#planning/noteables/list/list-items.ts'
import { namesIn } from '#planning/noteables/list/names.ts'
import type { ItemFilter } from '#planning/noteables/list/item-filter.ts'
import type { ListScope } from '#planning/noteables/list/scope.ts'
import type { Issue } from './entity.ts'
import type { Filter } from './filter-parameters.ts'
import { filtersOf } from './filters.ts'
import { audienceOf, presentIssues } from './present.ts'
import { type IssueRow } from './queries.ts'
import { lacksOf } from '#planning/noteables/items/lacking.ts'
import { readIssues } from './read-issues.ts'

type Listing = ListRequest & { readonly query: PageQuery & Filter & { with_labels_details?: boolean } }

/**
 * Every list of issues: those of a scope, filtered and sorted as the request asks.
 * @param also what all of them have besides.
 */
export async function listIssues(
  req: Listing,
  reply: FastifyReply,
  order: ListOrder,
  scope: ListScope,
  also?: ItemFilter,
): Promise<Static<typeof Issue>[] | void> {
  const { db } = req.server
  const selection = await selectIssues(db, scope, req.query, also)
  return listItems<IssueRow, Static<typeof Issue>>(req, reply, order, selection, {
    read: (ids, longest) => readIssues(db, scope, ids, longest),
    lacks: lacksOf(req.query),
    present: (rows) => presentIssues(rows, audienceOf(req), req.query),
  })
}

/**
 * What a request asks of the issues of a scope.
 * @returns undefined when no issue can match, because something that the filter names does not exist.
 */
export async function selectIssues(
  db: Db,
  scope: ListScope,
  filter: Filter,
  also?: ItemFilter,
): Promise<ListSelection | undefined> {
  const names = await namesIn(db, filter, scope)
  if (names === undefined) return undefined
  const found = filtersOf(filter, names, scope)
  const all = also === undefined ? found : [...found, also]
  return { scope, filters: all, nonArchived: filter.non_archived ?? false }
}
