import type { FastifyRequest } from 'fastify'
import { takeFromMinute } from '#platform/http/limits.ts'

/**
 * Counts a search, unless the setting `search_rate_limit_allowlist` names the caller.
 * @throws 429 past the setting `search_rate_limit`
 */
export async function countAgainstSearchLimit(
  request: Pick<FastifyRequest, 'server' | 'user'>,
): Promise<void> {
  const { search_rate_limit_allowlist: unlimited } = request.server.services.settings()
  const username = request.user().username.toLowerCase()
  if (unlimited.some((one) => one.toLowerCase() === username)) return
  await takeFromMinute(request, 'search_rate_limit')
}
