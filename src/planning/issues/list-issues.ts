import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import type { ListOrder, PageQuery } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import type { Issue } from './entity.ts'
import type { Filter } from './filter-parameters.ts'
import { filterIssues } from './filters.ts'
import { needsRank, withRank } from './list-order.ts'
import { audienceOf, presentIssues } from './present.ts'
import { type IssueQuery, type IssueRow, issuesFor, longIssues } from './queries.ts'

type Listing = FastifyRequest & { readonly query: PageQuery & Filter & { with_labels_details?: boolean } }

/**
 * Every list of issues: those of `among`, filtered and sorted as the request asks.
 * @param among narrows to the issues of the list that the viewer may see.
 * @throws as {@link paginate} does
 */
export async function listIssues(
  req: Listing,
  reply: FastifyReply,
  order: ListOrder,
  among: (issues: IssueQuery) => IssueQuery,
): Promise<Static<typeof Issue>[] | void> {
  const { viewer, query } = req
  const issues = (longest?: number) =>
    filterIssues(among(issuesFor(req.server.db, viewer, longest)), query, viewer)
  const page = issues(inlineBytes(query))
  const rows: IssueRow[] = needsRank(query.order_by)
    ? await paginate(req, reply, withRank(page), order)
    : await paginate(req, reply, page, order)
  const long = { rows, ...longIssues(issues(), query) }
  return sendLong(req, reply, long, (some) => presentIssues(some, audienceOf(req), query))
}
