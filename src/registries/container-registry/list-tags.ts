import type { FastifyReply } from 'fastify'
import { keysetNotOffered } from '#platform/http/keyset.ts'
import { linkHeader, urlWith } from '#platform/http/links.ts'
import { type PagedRequest, rowsPerPage } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { tagOrder, tags } from './queries.ts'

type TagRequest = PagedRequest & { readonly query: PagedRequest['query'] & { readonly last?: string } }

/** The names of a page of tags. A keyset page goes on after the last name of the one before. */
export async function listTags(
  request: TagRequest,
  reply: FastifyReply,
  repositoryId: number,
): Promise<string[]> {
  const { query, server, viewer } = request
  const list = tags(server.db, repositoryId)
  if (query.pagination !== 'keyset') {
    const rows = await paginate(request, reply, list, tagOrder)
    return rows.map(({ name }) => name)
  }
  if (viewer.id === null) throw keysetNotOffered()
  const sort = query.sort === 'desc' ? 'desc' : 'asc'
  const perPage = rowsPerPage(query)
  const found = await (
    query.last === undefined ? list : list.where('t.name', sort === 'asc' ? '>' : '<', query.last)
  )
    .orderBy('t.name', sort)
    .limit(perPage + 1)
    .execute()
  const page = found.slice(0, perPage)
  const last = page.at(-1)
  if (last !== undefined && found.length > perPage) {
    const next = urlWith(request, {
      page: undefined,
      per_page: String(perPage),
      pagination: 'keyset',
      order_by: 'name',
      sort,
      last: last.name,
    })
    reply.header('link', linkHeader([['next', next]]))
  }
  return page.map(({ name }) => name)
}
