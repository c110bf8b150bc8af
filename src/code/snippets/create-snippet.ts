import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { adoptForSnippet, prepareRepository } from '#code/repositories/initialize.ts'
import { writtenBy } from '#code/repositories/change-as.ts'
import { committerOf } from '#code/repositories/committer.ts'
import { assertAllowed } from '#identity/namespaces/visibility.ts'
import type { Visibility } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { refusal } from '#platform/refusals.ts'
import { insertNoteables } from '#planning/noteables/insert-noteables.ts'
import { lockMentioned, recordMentions } from '#planning/noteables/record-mentions.ts'
import { checkSnippet } from './check-snippet.ts'
import { aboutSnippet } from './facts.ts'
import { type AskedNewFiles, newFiles } from './files-of-request.ts'
import { mentioningSnippet, SNIPPET } from './names.ts'
import type { SnippetHome, SnippetPlace } from './place.ts'
import { refusalOfSize } from './rule.ts'

export interface AskedSnippet extends AskedNewFiles {
  readonly title: string
  readonly description?: string | null
  readonly visibility?: Visibility
}

/**
 * Creates a snippet. Its repository is made first, because git may not be waited for in a transaction.
 * @returns its id
 * @throws 400 for a visibility that is restricted, and for impossible files; 403 where the caller may have no snippets
 */
export async function createSnippet(
  req: FastifyRequest,
  place: SnippetPlace,
  asked: AskedSnippet,
): Promise<number> {
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
    by: writtenBy(req),
  })
  return req.write((tx) =>
    insert(tx, req, home, { ...asked, visibility, repository, paths: inGitsOrder(files) }),
  )
}

/** Git compares the bytes of paths. */
const inGitsOrder = (files: object): string[] =>
  Object.keys(files).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))

interface NewSnippet extends AskedSnippet {
  readonly visibility: Visibility
  /** The id of its repository's row. */
  readonly repository: number
  readonly paths: readonly string[]
}

async function insert(
  tx: Tx,
  req: FastifyRequest,
  home: SnippetHome,
  { title, description = null, visibility, repository, paths }: NewSnippet,
): Promise<number> {
  const text = `${title}\n\n${description ?? ''}`
  const { namespace_id, projectId } = home
  if (projectId !== null) await lockMentioned(tx, req, home, text)
  const { rows } = await sql<{ id: number }>`
    with snippet as (
      insert into snippets (project_id, author_id, title, description, visibility, file_paths, created_at, user_agent, ip)
      values (${projectId}, ${req.user().id}, ${title}, ${description}, ${visibility}, ${[...paths]}::text[],
        ${tx.now}, ${req.headers['user-agent'] ?? null}, ${tx.ip})
      returning id
    ), noteable as ${insertNoteables('snippet', { kind: SNIPPET, namespaceId: namespace_id, updatedAt: tx.now })}
    select id from snippet`.execute(tx.db)
  const [made] = rows
  if (made === undefined) throw new Error('No snippet was written')
  const { id } = made
  await adoptForSnippet(tx, repository, id)
  record(tx, { ...aboutSnippet({ id, namespace_id }), name: 'snippet created', details: { title } })
  if (projectId !== null)
    await recordMentions(tx, req, { noteable: mentioningSnippet(id), namespace: home, noteId: null }, text)
  return id
}
