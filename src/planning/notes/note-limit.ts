import type { FastifyRequest } from 'fastify'
import { takeFromMinute } from '#platform/http/limits.ts'

/**
 * Counts a note that the caller is about to write, unless the setting `notes_create_limit_allowlist` names them.
 * @throws 429 past the setting `notes_create_limit`
 */
export async function countAgainstNoteLimit(request: Pick<FastifyRequest, 'server' | 'user'>): Promise<void> {
  const { notes_create_limit_allowlist: unlimited } = request.server.services.settings()
  const username = request.user().username.toLowerCase()
  if (unlimited.some((one) => one.toLowerCase() === username)) return
  await takeFromMinute(request, 'notes_create_limit')
}
