import type { FastifyReply, FastifyRequest } from 'fastify'
import { RevokedToken } from '#platform/access/authentication.ts'
import { transact } from '#platform/db/transaction.ts'
import { writeError } from '#platform/http/errors.ts'
import { notPossible, unauthorized } from '#platform/refusals.ts'
import type { FreshToken } from './create-token.ts'
import type { TokenRow } from './entity.ts'
import { assertMayHandOut } from './handing-out.ts'
import { tokensIn } from './queries.ts'
import { refuseReuse } from './revoke-token.ts'
import { rotateToken } from './rotate-token.ts'

/**
 * Rotates a token for a request.
 * @throws 403 when the request's credentials may not have its secret, 401 when the token was revoked before; its family
 * has ended then.
 */
export async function rotateFor(
  req: FastifyRequest,
  token: TokenRow,
  expiresAt: string | undefined,
): Promise<FreshToken> {
  const { settings } = req.server.services
  assertMayHandOut(req.identity, token.scopes)
  const rotated = await req.write((tx) => rotateToken(tx, token, settings(), expiresAt))
  if (rotated === undefined) throw unauthorized()
  return rotated
}

/** @throws 405 for a token of a project or group, which has rotation routes of its own. */
export function assertPersonal({ kind }: Pick<TokenRow, 'kind'>): void {
  if (kind === 'project' || kind === 'group') throw notPossible()
}

/**
 * The error handler of routes that rotate. Authentication refuses a revoked token before the route is reached; here, a
 * replaced token that tries to rotate still ends its family.
 */
export function watchForReuse(thrown: unknown, req: FastifyRequest, reply: FastifyReply): void {
  endFamily(thrown, req).then(
    () => writeError(thrown, req, reply),
    (failure: unknown) => writeError(failure, req, reply),
  )
}

async function endFamily(error: unknown, req: FastifyRequest): Promise<void> {
  if (!(error instanceof RevokedToken) || error.token.kind === 'oauth') return
  const { id } = error.token
  await transact(req.server.services, { author: null, ip: req.ip }, async (tx) => {
    const token = await tokensIn(tx.db).where('t.id', '=', id).executeTakeFirst()
    if (token !== undefined) await refuseReuse(tx, token)
  })
}
