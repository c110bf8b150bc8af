import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '#platform/access/identity.ts'
import { networkOf } from './addresses.ts'
import { HttpError } from './errors.ts'

/** Requests of one address for tokens and for device codes. People poll for these, and they need no credentials. */
const OAUTH = {
  oauth_token_requests: { points: 600, seconds: 60 },
  oauth_device_codes: { points: 60, seconds: 60 },
} as const

/** Counts a request of an OAuth client for its address, before its body is read. @throws 429 */
export const throttleOAuth =
  (name: keyof typeof OAUTH) =>
  async ({ ip, server }: FastifyRequest): Promise<void> =>
    server.services.limits.take(name, networkOf(ip), OAUTH[name])

/** The names of the limits; settings begin with them. */
type Throttle = 'throttle_authenticated_api' | 'throttle_unauthenticated_api'

/** Counts a request without credentials for its address. @throws 429 past the setting's requests per period */
export async function throttleAddress(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (!request.server.services.settings().throttle_unauthenticated_api_enabled) return
  await throttle(request, reply, 'throttle_unauthenticated_api', networkOf(request.ip))
}

/** Counts a request for the user who sent it, even when they act as another user. @throws 429, as above */
export async function throttleUser(
  request: FastifyRequest,
  reply: FastifyReply,
  { user, sudoBy = user }: Identity,
): Promise<void> {
  if (!request.server.services.settings().throttle_authenticated_api_enabled) return
  await throttle(request, reply, 'throttle_authenticated_api', sudoBy.id)
}

/**
 * Reports the state of the limit on every answer: in the headers that clients of this API read, and in those of the
 * Internet-Draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-10).
 */
async function throttle(
  { server }: FastifyRequest,
  reply: FastifyReply,
  name: Throttle,
  key: number | string,
): Promise<void> {
  const { limits, clock, ...services } = server.services
  const settings = services.settings()
  const points = settings[`${name}_requests_per_period`]
  const period = settings[`${name}_period_in_seconds`]
  const { times, seconds } = await limits.count(name, key, period)
  const remaining = Math.max(0, points - times)
  const reset = new Date(clock.now().getTime() + seconds * 1000)
  reply.headers({
    'ratelimit-name': name,
    'ratelimit-limit': Math.ceil((points * 60) / period),
    'ratelimit-observed': times,
    'ratelimit-remaining': remaining,
    'ratelimit-reset': Math.floor(reset.getTime() / 1000),
    'ratelimit-policy': `"${name}";q=${points};w=${period}`,
    ratelimit: `"${name}";r=${remaining};t=${seconds}`,
  })
  if (times <= points) return
  limits.noteRefusal(name)
  throw new HttpError(429, settings.rate_limiting_response_text || 'Retry later', {
    'ratelimit-resettime': reset.toUTCString(),
    'retry-after': String(seconds),
  })
}
