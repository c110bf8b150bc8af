import type { FastifyRequest } from 'fastify'
import { badRequest, invalid, notFound, notPossible, unauthorized } from '#platform/refusals.ts'
import type { AuthorizedContainer } from '#platform/access/projects-and-groups.ts'
import type { AccessContext } from '#platform/access/access-context.ts'
import type { TokenRow } from '#identity/tokens/entity.ts'
import type { TokenContainer } from '#identity/tokens/resource.ts'
import { findResourceToken, tokensFor, tokensOf } from '#identity/tokens/queries.ts'

/** Keeps callers from making tokens that may do more than they. @throws 400 */
export function assertOwnLevel(accessContext: AccessContext, level: number): void {
  if (accessContext.admin || level <= accessContext.level) return
  throw invalid({ access_level: ['must not be above your own'] })
}

/**
 * Finds the token that a request wants to rotate in a project or group ("Project access tokens", rule 4).
 * @throws 401 for a missing token, or one that the caller may not rotate; administrators get 404. 405 for a token that
 * does not belong to a project or group. 400 for a level above the caller's, who would get its secret.
 */
export async function findRotatable(
  req: FastifyRequest,
  authorized: AuthorizedContainer,
  id: number,
): Promise<TokenRow> {
  const { container, accessContext } = authorized
  const { db } = req.server
  const credential = req.identity?.credential
  const isBot = credential?.kind === 'project' || credential?.kind === 'group'
  if (isBot ? credential.id !== id : !authorized.can('end_access_token')) throw unauthorized()
  const token = await tokensOf(db, container).where('t.id', '=', id).executeTakeFirst()
  if (token === undefined) return refuseUnknown(req, container, id)
  if (!accessContext.admin && (token.access_level ?? 0) > accessContext.level) {
    throw badRequest('the token has a level above your own')
  }
  return token
}

/** Only callers who could list a token learn what else its id may be. */
async function refuseUnknown(req: FastifyRequest, { kind }: TokenContainer, id: number): Promise<never> {
  const other = await tokensFor(req.server.db, req.viewer).where('t.id', '=', id).executeTakeFirst()
  if (other !== undefined && other.kind !== kind) throw notPossible()
  throw req.viewer.admin ? notFound(`${kind} Access Token`) : unauthorized()
}

/**
 * Finds the request's own token.
 * @throws 400 when it does not belong to this kind of container, 404 when it belongs to another container.
 */
export async function findOwn(req: FastifyRequest, container: TokenContainer): Promise<TokenRow> {
  const credential = req.identity?.credential
  if (credential?.kind !== container.kind) throw badRequest(`not a ${container.kind} access token`)
  return findResourceToken(req.server.db, container, credential.id)
}

/**
 * The same for rotation. @throws 405 when it does not belong to this kind of container, 401 when it belongs to another.
 */
export async function findOwnRotatable(
  req: FastifyRequest,
  authorized: AuthorizedContainer,
): Promise<TokenRow> {
  const credential = req.identity?.credential
  if (credential?.kind !== authorized.container.kind) throw notPossible()
  return findRotatable(req, authorized, credential.id)
}
