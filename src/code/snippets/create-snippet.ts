import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { adoptForSnippet, prepareRepository } from '#code/repositories/initialize.ts'
import { writtenByCaller } from '#code/repositories/change-as.ts'
import { committerOf } from '#code/repositories/committer.ts'
import { assertAllowed } from '#identity/namespaces/visibility.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { record } from '#platform/facts/record.ts'
import { refusal } from '#platform/refusals.ts'
import { onlyOne } from '#platform/sequences.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import type { ItemPlace } from '#planning/noteables/items/item-text.ts'
import { type ItemOpening, openRequestedItem } from '#planning/noteables/items/open-item.ts'
import { checkSnippet } from './check-snippet.ts'
import type { SnippetRow } from './entity.ts'
import { aboutSnippet } from './facts.ts'
import { type NewFilesRequest, newFiles } from './files-of-request.ts'
import { SNIPPET } from './names.ts'
import { snippetNoteable } from './noteable.ts'
import type { SnippetHome, SnippetPlace } from './place.ts'
import { findSnippet } from './queries.ts'
import { refusalOfSize } from './rule.ts'

export interface NewSnippetRequest extends NewFilesRequest {
  readonly title: string
  readonly description?: string | null
  readonly visibility?: Visibility
}

/**
 * Creates a snippet. Its repository is made first, because git may not be waited for in a transaction.
 * @returns it as its author sees it
 * @throws 400 for a visibility that is restricted, and for impossible files; 403 where the caller may have no snippets
 */
export async function createSnippet(
  req: FastifyRequest,
  place: SnippetPlace,
  asked: NewSnippetRequest,
): Promise<SnippetRow> {
  const { services } = req.server
  const { restricted_visibility_levels: restricted, snippet_size_limit } = services.settings()
  const { visibility = 'internal' } = asked
  assertAllowed(visibility, { admin: req.viewer.admin, restricted })
  const home = await place.home()
  const files = newFiles(asked)
  const bytes = Object.values(files).reduce((sum, content) => sum + Buffer.byteLength(content), 0)
  const tooLarge = refusalOfSize(bytes, snippet_size_limit)
  if (tooLarge !== undefined) throw refusal(tooLarge)
  await checkSnippet(req, place, { ...asked, visibility, files })
  const repository = await prepareRepository(services.repositories, {
    kind: 'snippet',
    files,
    message: 'Initial commit',
    branch: services.repositories.defaultBranch,
    author: await committerOf(req),
    by: writtenByCaller(req),
  })
  return openRequestedItem(
    req,
    openingSnippets,
    { ...snippetPlaceOf(req, place), home },
    { ...asked, visibility, repository, paths: inGitsOrder(files) },
  )
}

/** Git compares the bytes of paths. */
const inGitsOrder = (files: object): string[] =>
  Object.keys(files).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

interface NewSnippet extends NewSnippetRequest {
  readonly visibility: Visibility
  /** The id of its repository's row. */
  readonly repository: number
  readonly paths: readonly string[]
}

/** Where a request writes snippets. */
export interface SnippetItemPlace extends ItemPlace {
  readonly caller: FastifyRequest
  readonly place: SnippetPlace
}

export const snippetPlaceOf = (req: FastifyRequest, place: SnippetPlace): SnippetItemPlace => ({
  caller: req,
  container: place.scope.project === null ? undefined : req.project().container,
  place,
})

/** What differs for snippets: they are checked for spam with their files, before git has them (check-snippet.ts). */
const openingSnippets: ItemOpening<
  SnippetItemPlace & { readonly home: SnippetHome },
  NewSnippet,
  NewSnippet,
  { readonly id: number; readonly iid: null },
  SnippetRow
> = {
  kind: snippetNoteable,
  resolve: async (_tx, _place, asked) => asked,
  async insert(tx, { caller, home }, { title, description = null, visibility, repository, paths }) {
    const { namespace_id, projectId } = home
    const { rows } = await sql<{ id: number }>`
      with snippet as (
        insert into snippets (project_id, author_id, title, description, visibility, file_paths, created_at, user_agent, ip)
        values (${projectId}, ${caller.user().id}, ${title}, ${description}, ${visibility}, ${[...paths]}::text[],
          ${tx.now}, ${caller.headers['user-agent'] ?? null}, ${tx.ip})
        returning id
      ), noteable as ${insertNoteables('snippet', { kind: SNIPPET, namespaceId: namespace_id, updatedAt: tx.now })}
      select id from snippet`.execute(tx.db)
    const { id } = onlyOne(rows)
    await adoptForSnippet(tx, repository, id)
    record(tx, { ...aboutSnippet({ id, namespace_id }), name: 'snippet created', details: { title } })
    return { id, iid: null }
  },
  keyOf: ({ id }) => id,
  find: (on, { place: { scope } }, key) => findSnippet(on, scope, Number(key)),
}
