import type { FastifyRequest } from 'fastify'
import { NotFound } from '#platform/refusals.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { NotePosition } from '#planning/noteables/position.ts'
import type { NewSuggestion } from '#planning/noteables/suggesting.ts'
import { findStart } from './queries.ts'

type Stands = string | { readonly position: NotePosition | null }

/**
 * What a text suggests. No transaction is open.
 * @param stands where, or the discussion in which the text stands
 * @returns undefined where nobody suggests anything
 */
export async function suggestedBy(
  req: Pick<FastifyRequest, 'viewer' | 'project' | 'server'>,
  on: Noteable,
  body: string | undefined,
  stands: Stands,
): Promise<readonly NewSuggestion[] | undefined> {
  if (body === undefined) return undefined
  return on.kind.suggesting?.read(req, on, body, async () =>
    typeof stands === 'string' ? positionOf(req, on, stands) : stands.position,
  )
}

/** Who replies to a discussion that is not there hears of it later. */
async function positionOf({ server }: Pick<FastifyRequest, 'server'>, on: Noteable, discussion: string) {
  try {
    return (await findStart(server.db, on, discussion)).position
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
