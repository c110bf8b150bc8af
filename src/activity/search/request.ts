import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ListRequest, type Sort, withQuery } from '#platform/http/order.ts'
import type { Search } from './parameters.ts'

export type SearchRequest = FastifyRequest & { readonly query: Search & { readonly scope: string } }

/** Finds what a request searches for, as one page of a list; void where it has sent the page itself. */
export type Finder = (req: SearchRequest, reply: FastifyReply) => Promise<readonly object[] | void>

interface Page {
  readonly page: number
  readonly per_page: number
  readonly order_by: 'created_at'
  readonly sort?: Sort
  readonly searched: string
}

/** The request for a page of a list of this program, with the filters that the list knows. */
export function forList<Filters extends object>(
  req: SearchRequest,
  filters: Filters,
): Omit<ListRequest, 'query'> & { readonly query: Page & Filters } {
  const { page, per_page, sort, scope, search } = req.query
  // Whether a list is long is known by its path and its query.
  const searched = `${scope} ${search}`
  const order = { order_by: 'created_at', ...(sort && { sort }) } as const
  return withQuery(req, { page, per_page, ...order, searched, ...filters })
}
