import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import type { ListRequest, PageQuery } from '#platform/http/order.ts'
import { lacksOf } from '#planning/noteables/items/lacking.ts'
import type { ListSelection } from '#planning/noteables/list/find.ts'
import { listItems } from '#planning/noteables/list/list-items.ts'
import { namesIn } from '#planning/noteables/list/names.ts'
import type { ItemFilter } from '#planning/noteables/list/item-filter.ts'
import type { ListScope } from '#planning/noteables/list/scope.ts'
import { presentMergeRequest } from '../present.ts'
import type { MergeRequestRow } from '../queries.ts'
import { demandsApprovals } from '../approvals/tier.ts'
import { recheck } from '../merge/recheck.ts'
import { mergeRequestAudience } from '../present-one.ts'
import { type ListedMergeRequest, simplified } from './entity.ts'
import { filtersOf, usersIn } from './filters.ts'
import { mergeRequestOrder } from './order.ts'
import type { Filter } from './filter-schemas.ts'
import { readMergeRequests } from './read-merge-requests.ts'

type Listing = ListRequest & { readonly query: PageQuery & Filter }

/**
 * Every list of merge requests: those of a scope, filtered and sorted as the request asks.
 * @param also what all of them have besides.
 */
export async function listMergeRequests(
  req: Listing,
  reply: FastifyReply,
  scope: ListScope,
  also?: ItemFilter,
): Promise<Static<typeof ListedMergeRequest>[] | void> {
  const { server, query } = req
  const { db } = server
  const audience = mergeRequestAudience(req)
  return listItems<MergeRequestRow, Static<typeof ListedMergeRequest>>(
    req,
    reply,
    mergeRequestOrder,
    await selectIn(req, scope, also),
    {
      read: async (ids, longest) => {
        const rows = await readMergeRequests(db, scope, ids, longest)
        return query.with_merge_status_recheck === true ? [...(await recheck(server.services, rows))] : rows
      },
      lacks: lacksOf(query),
      present: (rows) => {
        const presented = rows.map((row) => presentMergeRequest(row, audience, query))
        return query.view === 'simple' ? presented.map(simplified) : presented
      },
    },
  )
}

/** @returns undefined when nothing can match, because something that the filter names does not exist */
async function selectIn(
  { server, query }: Listing,
  scope: ListScope,
  also: ItemFilter | undefined,
): Promise<ListSelection | undefined> {
  const names = await namesIn(server.db, query, scope, usersIn(query))
  if (names === undefined) return undefined
  const found = filtersOf(query, names, scope, demandsApprovals(server.services))
  return {
    scope,
    filters: also === undefined ? found : [...found, also],
    nonArchived: query.non_archived ?? false,
  }
}
