import type { FastifyRequest } from 'fastify'
import { forbidden } from '#platform/refusals.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { record } from '#platform/facts/record.ts'
import { removeLater } from '#planning/noteables/remove-later.ts'
import { aboutSnippet } from './facts.ts'
import type { SnippetPlace } from './place.ts'
import { lockSnippet } from './queries.ts'
import { snippetNoteable } from './noteable.ts'

/**
 * Deletes a snippet. From now on nobody sees it; jobs remove it with everything that belongs to it, and its repository.
 * @throws 404, 403 where the caller may not, 412
 */
export async function deleteSnippet(req: FastifyRequest, place: SnippetPlace, id: number): Promise<void> {
  await req.write(async (tx) => {
    const snippet = await lockSnippet(tx, place.scope, id, 'deletion')
    if (!place.mayChange(snippet)) throw forbidden()
    assertUnmodified(req, snippet.updated_at)
    await removeLater(tx, snippetNoteable, id)
    record(tx, { ...aboutSnippet(snippet), name: 'snippet deleted', details: { title: snippet.title } })
  })
}
