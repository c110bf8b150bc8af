import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import type { ListOrder, PageQuery } from '#platform/http/order.ts'
import { keysetPage } from '#platform/http/keyset.ts'
import { paginateIds, paginateNothing } from '#platform/http/pagination.ts'
import { allOf } from './conditions.ts'
import type { Issue } from './entity.ts'
import type { Filter } from './filter-parameters.ts'
import { narrowings } from './filters.ts'
import { inChanged } from './list/changes.ts'
import { countIssues, findPage, type IssueSelection } from './list/find.ts'
import { namesIn } from './list/names.ts'
import { readIssues } from './list/read.ts'
import { inScope, type IssueScope } from './list/scope.ts'
import { audienceOf, presentIssues } from './present.ts'
import { type IssueRow, lacksOf } from './queries.ts'

type Listing = FastifyRequest & { readonly query: PageQuery & Filter & { with_labels_details?: boolean } }

/**
 * Every list of issues: those of a scope, filtered and sorted as the request asks.
 * @param milestone the id of a milestone that all of them have.
 * @throws as {@link paginateIds} does
 */
export async function listIssues(
  req: Listing,
  reply: FastifyReply,
  order: ListOrder,
  scope: IssueScope,
  milestone?: number,
): Promise<Static<typeof Issue>[] | void> {
  const { server, query } = req
  const { db } = server
  const selection = await selectIssues(db, scope, query, milestone)
  if (selection === undefined) return paginateNothing(req, reply)
  const longest = inlineBytes(query)
  const rows = await paginateIds(
    req,
    reply,
    {
      find: (wanted) => findPage(db, selection, wanted),
      count: async () => (await countIssues(db, selection, { total: sql<boolean>`true` })).total,
      findByKeys: () => findByKeys(req, reply, selection, order),
      read: (ids) => readIssues(db, scope, ids, longest),
    },
    order,
  )
  const long = {
    rows,
    lacks: lacksOf(query),
    whole: (ids: readonly number[]): Promise<IssueRow[]> => readIssues(db, scope, ids),
  }
  return sendLong(req, reply, long, (some) => presentIssues(some, audienceOf(req), query))
}

/**
 * What a request asks of the issues of a scope.
 * @returns undefined when no issue can match, because something that the filter names does not exist.
 */
export async function selectIssues(
  db: Db,
  scope: IssueScope,
  filter: Filter,
  milestone?: number,
): Promise<IssueSelection | undefined> {
  const names = await namesIn(db, filter, scope)
  if (names === undefined) return undefined
  const found = narrowings(filter, names, scope)
  if (milestone !== undefined) {
    found.push({ test: sql<boolean>`i.milestone_id = ${milestone}`, passes: 'few' })
  }
  return { scope, narrowings: found, nonArchived: filter.non_archived ?? false }
}

/** The ids of a keyset page of the issues of one project; only these lists have such pages. */
function findByKeys(
  req: Listing,
  reply: FastifyReply,
  selection: IssueSelection,
  order: ListOrder,
): Promise<{ readonly id: number }[]> {
  const { db } = req.server
  if (req.query.order_by === 'updated_at') {
    const changed = db.selectFrom('noteables as nt').select('nt.id').where(inChanged(selection))
    return keysetPage(req, reply, changed, { ...order, id: 'nt.id' })
  }
  const { scope, narrowings: all } = selection
  const issues = db.selectFrom('issues as i').select('i.id').where(inScope(scope))
  // In this form, PostgreSQL may begin with what the index leads to.
  const tests = all.map(({ test, source }) =>
    source?.wide === true ? sql<boolean>`i.id in (${source.ids})` : test,
  )
  return keysetPage(req, reply, issues.where(allOf(tests)), order)
}
