import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { sendLong } from '#platform/http/long-rows.ts'
import { paginateFrom } from '#platform/http/pagination.ts'
import { presentBasic, presentPage } from './entity.ts'
import { listPages, type PageFile, pagesIn } from './list-files.ts'
import type { ListOptions } from './parameters.ts'
import { showPage } from './read-page.ts'
import { idsOfPages, idsOfWiki } from './rows.ts'
import { commitOf, type Wiki, type WikiCommit } from './wiki.ts'

type ListRequest = FastifyRequest<{ Querystring: Static<typeof ListOptions> }>

/** A page of a list, with its text when that was read. */
interface ListedRow {
  readonly id: number
  readonly page: PageFile
  readonly text?: Awaited<ReturnType<typeof showPage>>
}

/** One process lists the pages, and one statement their ids. Long contents are read while they are sent. */
export async function sendList(req: ListRequest, reply: FastifyReply, wiki: Wiki) {
  const at = await commitOf(req, wiki)
  if (at === undefined) return []
  const { repository } = at
  const { pages, ids } = await pagesAsked(req, reply, wiki, at)
  const rows: ListedRow[] = pages.map((page, id) => ({ id, page }))
  const idOf = ({ slug }: PageFile) => ids.get(slug) ?? null
  if (!req.query.with_content) return rows.map(({ page }) => presentBasic(page, idOf(page)))
  return sendLong(
    req,
    reply,
    {
      rows,
      lacks: ({ page }) => page.size + 1,
      whole: async (wanted) =>
        Promise.all(
          wanted
            .flatMap((id) => rows[id] ?? [])
            .map(async ({ id, page }) => ({ id, page, text: await showPage(repository, page) })),
        ),
    },
    (some) =>
      some.map(({ page, text = { content: '', frontMatter: {} } }) => presentPage(page, idOf(page), text)),
  )
}

/** Everything unless a page is asked for: clients do not expect pages here, and would miss the rest. */
async function pagesAsked(
  req: ListRequest,
  reply: FastifyReply,
  { namespaceId }: Wiki,
  { repository, commit }: WikiCommit,
) {
  const { db } = req.server
  const { page, per_page } = req.query
  if (page === undefined && per_page === undefined) {
    const [all, ids] = await Promise.all([listPages(repository, commit), idsOfWiki(db, namespaceId)])
    return { pages: [...(all?.values() ?? [])], ids }
  }
  const { raw, protocol, host, server, viewer } = req
  const query = { ...req.query, page: page ?? 1, per_page: per_page ?? 20 }
  const paged = { raw, protocol, host, server, viewer, query }
  const pages = await paginateFrom(paged, reply, async (range) => ({
    rows: await pagesIn(repository, commit, range),
  }))
  const slugs = pages.map(({ slug }) => slug)
  return { pages, ids: await idsOfPages(db, namespaceId, slugs) }
}
