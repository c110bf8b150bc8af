import type { FastifyReply } from 'fastify'
import type { Reference } from '#code/git/references.ts'
import { invalidParameters } from '#platform/refusals.ts'
import { linkHeader, urlWith } from '#platform/http/links.ts'
import { type PagedRequest, pageParameters, rowsPerPage } from '#platform/http/order.ts'
import { paginateRows } from '#platform/http/pagination.ts'
import { Type } from 'typebox'
import { text } from '#platform/http/schema.ts'
import { MAX_NAME } from './limits.ts'

/** The parameters of lists of branches and tags. */
export const referencePages = {
  ...pageParameters,
  page_token: Type.Optional(
    text({ max: MAX_NAME, description: 'With keyset pagination, the last name that you have.' }),
  ),
}

type ReferenceRequest = Pick<PagedRequest, 'raw' | 'protocol' | 'host' | 'server' | 'viewer'> & {
  readonly query: PagedRequest['query'] & { readonly page_token?: string }
}

/** A page of branches or tags, which are in memory. @param prefix of all of them */
export async function pageOfReferences(
  req: ReferenceRequest,
  reply: FastifyReply,
  all: readonly Reference[],
  prefix: string,
): Promise<Reference[]> {
  if (req.query.pagination !== 'keyset') return paginateRows(req, reply, all)
  const { page_token: token = '' } = req.query
  const last = token === '' ? -1 : all.findIndex(({ name }) => name === prefix + token)
  if (token !== '' && last < 0) {
    throw invalidParameters([{ name: 'page_token', text: 'is invalid', missing: false }])
  }
  const limit = rowsPerPage(req.query)
  const rows = all.slice(last + 1, last + 1 + limit)
  const end = rows.at(-1)
  if (end !== undefined && all.length > last + 1 + limit) {
    const next = { page: undefined, per_page: String(limit), page_token: end.name.slice(prefix.length) }
    reply.header('link', linkHeader([['next', urlWith(req, next)]]))
  }
  return rows
}
