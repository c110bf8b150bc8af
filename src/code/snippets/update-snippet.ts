import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { assertAllowed } from '#identity/namespaces/visibility.ts'
import type { Visibility } from '#platform/db/schema.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden } from '#platform/refusals.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { changeItem, type ItemChanging } from '#planning/noteables/items/change-item.ts'
import { touch } from '#planning/noteables/touch.ts'
import { checkSnippet } from './check-snippet.ts'
import { commitFiles } from './commit-files.ts'
import { type SnippetItemPlace, snippetPlaceOf } from './create-snippet.ts'
import type { SnippetRow } from './entity.ts'
import { aboutSnippet } from './facts.ts'
import { type FileChangesRequest, fileActions } from './files-of-request.ts'
import { snippetNoteable } from './noteable.ts'
import type { SnippetPlace } from './place.ts'
import { findSnippet, lockSnippet } from './queries.ts'

export interface SnippetChangeRequest extends FileChangesRequest {
  readonly title?: string
  readonly description?: string | null
  readonly visibility?: Visibility
}

/**
 * Changes a snippet: first its files, by a commit, then what the database has. A transaction may not wait for git.
 * @throws 404, 403 where the caller may not, 412, and as {@link commitFiles} does
 */
export async function updateSnippet(
  req: FastifyRequest,
  place: SnippetPlace,
  id: number,
  asked: SnippetChangeRequest,
): Promise<SnippetRow> {
  const found = await findSnippet(req.server.db, place.scope, id)
  assertChangeable(req, place, found)
  const { restricted_visibility_levels: restricted } = req.server.services.settings()
  if (asked.visibility !== undefined && asked.visibility !== found.visibility)
    assertAllowed(asked.visibility, { admin: req.viewer.admin, restricted })
  const actions = fileActions(asked, found.file_paths)
  const { title = found.title, description = found.description, visibility = found.visibility } = asked
  const texts = actions.map(({ file_path, content }) => [file_path, content ?? ''] as const)
  const says = ['title', 'description', 'visibility'].some((field) => field in asked) || texts.length > 0
  if (says)
    await checkSnippet(req, place, { title, description, visibility, files: Object.fromEntries(texts) })
  const { accessContext } = place
  const committed = actions.length > 0 && (await commitFiles(req, { id, accessContext, actions }))
  const { files: _, file_name: __, content: ___, ...fields } = asked
  return changeItem(req, changingSnippets, snippetPlaceOf(req, place), id, fields, { begun: committed })
}

function assertChangeable(req: FastifyRequest, place: SnippetPlace, snippet: SnippetRow): void {
  if (!place.mayChange(snippet)) throw forbidden()
  assertUnmodified(req, snippet.updated_at)
}

type Fields = Pick<SnippetChangeRequest, 'title' | 'description' | 'visibility'>

/** The files have changed before, by a commit, and were checked for spam before that. */
const changingSnippets: ItemChanging<SnippetItemPlace, Fields, Fields, SnippetRow & { readonly iid: null }> =
  {
    kind: snippetNoteable,
    resolve: async (_tx, _place, asked) => asked,
    find: async (on, { place }, key) => withoutNumber(await findSnippet(on, place.scope, Number(key))),
    lock: async (tx, { place }, key) => withoutNumber(await lockSnippet(tx, place.scope, Number(key))),
    assertMayChange({ place }, snippet) {
      if (!place.mayChange(snippet)) throw forbidden()
    },
    async update(tx, _place, snippet, { title, description, visibility }) {
      const next = {
        title: title ?? snippet.title,
        description: description === undefined ? snippet.description : description,
        visibility: visibility ?? snippet.visibility,
      }
      const changed = (['title', 'description', 'visibility'] as const).filter(
        (field) => next[field] !== snippet[field],
      )
      if (changed.length === 0) return false
      await touch(tx, snippet.id)
      await sql`
      update snippets set title = ${next.title}, description = ${next.description}, visibility = ${next.visibility}
      where id = ${snippet.id}`.execute(tx.db)
      const details = { title: next.title, fields: changed }
      record(tx, { ...aboutSnippet(snippet), name: 'snippet changed', details })
      return true
    },
    keyOf: ({ id }) => id,
  }

const withoutNumber = (snippet: SnippetRow) => ({ ...snippet, iid: null })
