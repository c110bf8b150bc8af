import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type EntryMark, pageOfTree, type TreePage, type TreePageOptions } from '#code/git/tree-page.ts'
import type { TreeEntry } from '#code/git/tree.ts'
import { invalidParameters, notFound } from '#platform/refusals.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { linkHeader, urlWith } from '#platform/http/links.ts'
import { rowsPerPage } from '#platform/http/order.ts'
import { COUNTED, paginateFrom } from '#platform/http/pagination.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { requestedCommit, requestedRepository } from '../requested.ts'
import type { TreeFilter } from './parameters.ts'

type TreeRequest = FastifyRequest<{ Querystring: Static<typeof TreeFilter> }>

/** Lists the page of a folder that a request asks for. @throws 404 when there is no such folder */
export async function listTree(req: TreeRequest, reply: FastifyReply): Promise<readonly TreeEntry[]> {
  const { ref, path = '', recursive, pagination } = req.query
  const repository = await requestedRepository(req)
  const commit = await requestedCommit(repository, ref)
  const read = async (options: Pick<TreePageOptions, 'skip' | 'limit' | 'after' | 'count'>) => {
    if (repository === undefined || commit === undefined) throw notFound('Tree')
    const page = await pageOfTree(repository, commit, { path, recursive, ...options })
    return orNotFound(page, knownTexts['no-path'])
  }
  if (pagination === 'keyset') return keysetPage(req, reply, read)
  return paginateFrom(
    req,
    reply,
    async (range) => {
      const { entries, total } = await read({ ...range, count: COUNTED })
      return { rows: entries, total }
    },
    { of: 'Tree' },
  )
}

/** A page that begins after an entry, with a link to the next one. */
async function keysetPage(
  req: TreeRequest,
  reply: FastifyReply,
  read: (options: Pick<TreePageOptions, 'skip' | 'limit' | 'after'>) => Promise<TreePage>,
): Promise<readonly TreeEntry[]> {
  const { page_token: token = '' } = req.query
  const after = token === '' ? undefined : readToken(token)
  const limit = rowsPerPage(req.query)
  const page = await read({ skip: 0, limit, ...(after && { after }) })
  if (page.isLost) throw badToken()
  if (page.more && page.last !== undefined) {
    const next = { page: undefined, per_page: String(limit), page_token: writeToken(page.last) }
    reply.header('link', linkHeader([['next', urlWith(req, next)]]))
  }
  return page.entries
}

/** The id of an entry, and how many entries before it have the same id, if any. */
const writeToken = ({ id, earlier }: EntryMark): string => (earlier === 0 ? id : `${id}-${earlier}`)

function readToken(token: string): EntryMark {
  const [, id, earlier = '0'] = /^([0-9a-f]{40})(?:-(\d{1,9}))?$/.exec(token) ?? []
  if (id === undefined) throw badToken()
  return { id, earlier: Number(earlier) }
}

const badToken = () => invalidParameters([{ name: 'page_token', text: 'is invalid', missing: false }])
