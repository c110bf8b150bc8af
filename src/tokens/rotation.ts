import type { FastifyReply, FastifyRequest } from 'fastify'
import { RevokedToken } from '#access/authentication.ts'
import { transact } from '#db/transaction.ts'
import { unauthorized, writeError } from '#http/errors.ts'
import { type TokenRow, presentFreshToken } from './entity.ts'
import { tokensIn } from './queries.ts'
import { revokeFamily } from './revoke-token.ts'
import { rotateToken } from './rotate-token.ts'

/** Answers a rotation: the token with its new secret, or 401 once its family is revoked. */
export async function rotateFor(req: FastifyRequest, token: TokenRow, expiresAt: string | undefined) {
  const { clock, settings } = req.server.services
  const rotated = await req.write((tx) => rotateToken(tx, token, settings(), expiresAt))
  if (rotated === undefined) throw unauthorized()
  return presentFreshToken(rotated, clock.now())
}

/**
 * The error handler of routes that rotate: authentication refuses a revoked token before the route is reached, and
 * one that was replaced and still tries to rotate ends its family all the same.
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
    if (token !== undefined) await revokeFamily(tx, token)
  })
}
