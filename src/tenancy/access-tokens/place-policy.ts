import type { FastifyRequest } from 'fastify'
import { invalid, badRequest, methodNotAllowed, notFound, unauthorized } from '#platform/http/errors.ts'
import type { ProjectOrGroupDoor } from '#platform/access/projects-and-groups.ts'
import type { Standing } from '#platform/access/standing.ts'
import type { TokenRow } from '#identity/tokens/entity.ts'
import type { TokenPlace } from '#identity/tokens/resource.ts'
import { findPlaceToken, tokensFor, tokensOf } from '#identity/tokens/queries.ts'

/** Nobody makes a token that may do more than they. @throws 400 */
export function demandOwnLevel(standing: Standing, level: number): void {
  if (standing.admin || level <= standing.level) return
  throw invalid({ access_level: ['must not be above your own'] })
}

/**
 * The token that a request wants to rotate in a project or group ("Project access tokens", rule 4).
 * @throws 401 for a token that is not there, or that the caller may not rotate; administrators are told 404. 405 for
 * one that is not of a project or group, 400 for one with a level above the caller's: its secret would be theirs.
 */
export async function findRotatable(
  req: FastifyRequest,
  door: ProjectOrGroupDoor,
  id: number,
): Promise<TokenRow> {
  const { place, standing } = door
  const { db } = req.server
  const proof = req.identity?.proof
  const isBot = proof?.kind === 'project' || proof?.kind === 'group'
  if (isBot ? proof.id !== id : !door.can('end_access_token')) throw unauthorized()
  const token = await tokensOf(db, place).where('t.id', '=', id).executeTakeFirst()
  if (token === undefined) return refuseUnknown(req, place, id)
  if (!standing.admin && (token.access_level ?? 0) > standing.level) {
    throw badRequest('the token has a level above your own')
  }
  return token
}

/** What else the id may be is said only of tokens that the caller could list. */
async function refuseUnknown(req: FastifyRequest, { kind }: TokenPlace, id: number): Promise<never> {
  const other = await tokensFor(req.server.db, req.viewer).where('t.id', '=', id).executeTakeFirst()
  if (other !== undefined && other.kind !== kind) throw methodNotAllowed()
  throw req.viewer.admin ? notFound(`${kind} Access Token`) : unauthorized()
}

/**
 * The token of the request itself.
 * @throws 400 when it is not one of this kind of place, 404 when it is one of another place.
 */
export async function findOwn(req: FastifyRequest, place: TokenPlace): Promise<TokenRow> {
  const proof = req.identity?.proof
  if (proof?.kind !== place.kind) throw badRequest(`not a ${place.kind} access token`)
  return findPlaceToken(req.server.db, place, proof.id)
}

/** The same to be rotated. @throws 405 when it is not one of this kind of place, 401 when it is one of another. */
export async function findOwnRotatable(req: FastifyRequest, door: ProjectOrGroupDoor): Promise<TokenRow> {
  const proof = req.identity?.proof
  if (proof?.kind !== door.place.kind) throw methodNotAllowed()
  return findRotatable(req, door, proof.id)
}
