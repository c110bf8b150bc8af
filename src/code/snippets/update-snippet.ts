import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { assertAllowed } from '#identity/namespaces/visibility.ts'
import type { Visibility } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden } from '#platform/refusals.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { lockMentioned, recordMentions } from '#planning/noteables/record-mentions.ts'
import { touch } from '#planning/noteables/touch.ts'
import { checkSnippet } from './check-snippet.ts'
import { commitFiles } from './commit-files.ts'
import type { SnippetRow } from './entity.ts'
import { aboutSnippet } from './facts.ts'
import { type AskedFileChanges, fileActions } from './files-of-request.ts'
import { mentioningSnippet } from './names.ts'
import type { SnippetPlace } from './place.ts'
import { findSnippet, lockSnippet } from './queries.ts'

export interface AskedSnippetChanges extends AskedFileChanges {
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
  asked: AskedSnippetChanges,
): Promise<void> {
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
  await req.write((tx) => change(tx, req, place, { id, asked, committed }))
}

function assertChangeable(req: FastifyRequest, place: SnippetPlace, snippet: SnippetRow): void {
  if (!place.mayChange(snippet)) throw forbidden()
  assertUnmodified(req, snippet.updated_at)
}

const fields = ['title', 'description', 'visibility'] as const

interface Change {
  readonly id: number
  readonly asked: AskedSnippetChanges
  /** Whether this request has changed the files, so that the snippet has just been modified. */
  readonly committed: boolean
}

async function change(
  tx: Tx,
  req: FastifyRequest,
  place: SnippetPlace,
  { id, asked, committed }: Change,
): Promise<void> {
  const { project } = place.scope
  const home = project === null ? undefined : req.project().container
  const isText = asked.title !== undefined || asked.description !== undefined
  if (home !== undefined && isText)
    await lockMentioned(tx, req, home, textOf(asked.title ?? '', asked.description))
  const snippet = await lockSnippet(tx, place.scope, id)
  if (!committed) assertChangeable(req, place, snippet)
  const next = { ...snippet, ...Object.fromEntries(Object.entries(asked).filter(([name]) => isField(name))) }
  const changed = fields.filter((field) => next[field] !== snippet[field])
  if (changed.length === 0) return
  await touch(tx, id)
  await sql`
    update snippets set title = ${next.title}, description = ${next.description}, visibility = ${next.visibility}
    where id = ${id}`.execute(tx.db)
  record(tx, {
    ...aboutSnippet(snippet),
    name: 'snippet changed',
    details: { title: next.title, fields: changed },
  })
  if (home === undefined || !(changed.includes('title') || changed.includes('description'))) return
  const source = { noteable: mentioningSnippet(id), namespace: home, noteId: null, changed: true }
  await recordMentions(tx, req, source, textOf(next.title, next.description))
}

const isField = (name: string): boolean => fields.some((field) => field === name)
const textOf = (title: string, description: string | null | undefined) => `${title}\n\n${description ?? ''}`
