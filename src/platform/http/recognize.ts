import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestedResource } from '#platform/access/containers.ts'
import { actAs, authenticate, useAgain } from '#platform/access/authentication.ts'
import { type SentCredential, credentialOf, sudoIn } from '#platform/access/credentials.ts'
import { useDeployToken } from '#platform/access/deploy-tokens.ts'
import { keyOf } from '#platform/access/authorize.ts'
import { assertOpen } from '#platform/access/hidden.ts'
import type { RouteAccess } from '#platform/access/route-access.ts'
import { assertTier } from '#platform/access/tiers.ts'
import { type BodyKind, parameters } from './body-kind.ts'
import { bytesFor, readParametersOf, streamOf } from './bodies.ts'
import { Invalid, TooLarge } from '#platform/refusals.ts'
import { UnreadableBody } from './errors.ts'
import { hasBody } from './incoming.ts'
import { innerOf } from './inner-requests.ts'
import { throttleAddress, throttleUser } from './throttles.ts'
import { policyOf } from './browser-sessions.ts'

/**
 * Identifies the caller by the headers and the query, before anything of the body is read. Without a credential
 * there, the body may hold one; {@link recognizeFully} then continues.
 */
export async function recognizeEarly(
  request: FastifyRequest,
  reply: FastifyReply,
  access: RouteAccess,
): Promise<void> {
  const inner = innerOf(request)
  if (inner !== undefined) return recognizeVisitor(request, reply, access, inner.page)
  const { method, headers, raw, query, routeOptions } = request
  const sent = credentialOf({ method, headers, parameters: asRecord(query) })
  const { as } = routeOptions.config.body ?? parameters
  if (sent === undefined && as === 'parameters' && method !== 'HEAD' && hasBody(raw)) return
  await recognize(request, reply, access, sent)
}

/**
 * Reads the body, finishes what {@link recognizeEarly} began, and merges the parameters; the body's win. Callers
 * without valid credentials get that refusal first, whatever is wrong with the body.
 */
export async function recognizeFully(
  request: FastifyRequest,
  reply: FastifyReply,
  access: RouteAccess,
  kind: BodyKind,
): Promise<void> {
  const { method, headers, server } = request
  let given: Record<string, unknown> = {}
  let refusal: unknown
  try {
    given = innerOf(request)?.parameters ?? (await receive(request, reply, kind))
  } catch (error) {
    if (request.recognized || !isAboutBody(error)) throw error
    refusal = error
  }
  if (!request.recognized) {
    await recognize(request, reply, access, credentialOf({ method, headers, parameters: given }))
  }
  if (refusal !== undefined) throw refusal
  const all = { ...asRecord(request.query), ...given }
  const sudo = sudoIn({ headers, parameters: all })
  if (sudo !== undefined) request.identity = await actAs(server.db, request.identity, sudo)
  const { services } = server
  assertTier(access.tier, services)
  await assertOpen(access, services, request)
  if (request.routeOptions.schema?.body === undefined) request.query = all
  else request.body = all
}

/** Reads the body as the route requires it. @returns its parameters. */
export async function receive(
  request: FastifyRequest,
  reply: FastifyReply,
  kind: BodyKind,
): Promise<Record<string, unknown>> {
  if (request.method === 'HEAD') return {}
  if (kind.as === 'parameters') return readParametersOf(request, reply, kind)
  request.received = kind.as === 'stream' ? streamOf(request, reply) : bytesFor(request, reply)
  return {}
}

/**
 * Whether only the body is wrong. A body that is too slow, or that comes while the memory is full, is refused at
 * once.
 */
const isAboutBody = (error: unknown): boolean =>
  error instanceof UnreadableBody || error instanceof Invalid || error instanceof TooLarge

/** Whoever visits a page is the caller of what the page asks for. The page counts as one request in the limits. */
async function recognizeVisitor(
  request: FastifyRequest,
  reply: FastifyReply,
  access: RouteAccess,
  page: FastifyRequest,
): Promise<void> {
  request.identity = useAgain(page.identity, access)
  request.recognized = true
  if (page.counted) return
  page.counted = true
  if (page.identity === undefined) await throttleAddress(request, reply)
  else await throttleUser(request, reply, page.identity)
}

/** Identifies the caller and applies the rate limits: items 3 to 7 of the order of checks. */
async function recognize(
  request: FastifyRequest,
  reply: FastifyReply,
  access: RouteAccess,
  sent: SentCredential | undefined,
): Promise<void> {
  const { services } = request.server
  if (sent?.kind === 'deploy token' && access.deployToken !== undefined) {
    await throttleAddress(request, reply)
    const needed = access.deployToken
    const use = () => useDeployToken(services, sent, needed)
    request.deployToken = await services.failedAuthentications.watch(request.ip, sent.digest, use)
    request.recognized = true
    return
  }
  const find = () => authenticate(services.db, sent, access, policyOf(services), request.requested)
  if (sent === undefined) await throttleAddress(request, reply)
  request.identity = await (sent === undefined
    ? find()
    : services.failedAuthentications.watch(request.ip, sent.digest, find))
  request.recognized = true
  if (request.identity !== undefined) {
    services.lastUsed.note(request.identity.credential)
    await throttleUser(request, reply, request.identity)
    // A cookie without a valid session does not avoid the limit.
  } else if (sent !== undefined) await throttleAddress(request, reply)
}

/**
 * The resource that the route is about, to be looked up together with the token. Undefined when its name cannot be
 * read.
 */
export function requestedBy(request: FastifyRequest): RequestedResource | undefined {
  const subject = request.routeOptions.config.access?.subject
  if (subject?.kind !== 'project' && subject?.kind !== 'group') return undefined
  const { kind, param, nested: resource } = subject
  const name = parameterIn(request, param)
  if (name.includes('\0')) return undefined
  const nested = resource && { resource, key: resource.keyOf(parameterIn(request, resource.param)) }
  return { kind, key: keyOf(name), nested }
}

/** A parameter of the path, as text. */
export const parameterIn = ({ params }: FastifyRequest, name: string): string =>
  String(asRecord(params)[name])

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})
