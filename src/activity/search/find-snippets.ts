import { presentSnippet, type SnippetRow } from '#code/snippets/entity.ts'
import { allSnippets } from '#code/snippets/list-snippets.ts'
import { snippetOrder, snippetsFor } from '#code/snippets/queries.ts'
import { snippetVisibleTo } from '#code/snippets/visible.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginateIds } from '#platform/http/pagination.ts'
import { type Finder, forList } from './request.ts'

/** Snippets by their titles: all that the caller may see, or those of projects in a group. */
export const findSnippets: Finder = async (req, reply) => {
  const { viewer, authorizedGroup: group, query, server } = req
  const { db } = server
  const filter = { title: query.search, ...(group && { group: group.container.id }) }
  const list = allSnippets(db, viewer, filter, inlineBytes(query))
  const long = {
    rows: await paginateIds(forList(req, {}), reply, list, snippetOrder),
    lacks: ({ left_out }: SnippetRow) => left_out ?? 0,
    whole: (ids: readonly number[]) =>
      snippetsFor(db).where(isAnyOf('s.id', ids)).where(snippetVisibleTo(viewer)).execute(),
  }
  return sendLong(req, reply, long, (some) => some.map((row) => presentSnippet(row, req)))
}
