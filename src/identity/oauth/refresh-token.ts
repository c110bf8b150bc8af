import { digestOf } from '#platform/access/look-up.ts'
import type { Tx } from '#platform/db/transaction.ts'

const PREFIX = 'glort-'

/**
 * A refresh token has two parts: one that it shares with those before and after it, and one of its own. Whoever
 * shows the first with any other second part has a token that was replaced: reuse is recognized for as long as the consent
 * lasts, without a row for each token.
 */
export interface RefreshToken {
  readonly family: string
  readonly familyDigest: Buffer
  readonly secret: string
  readonly digest: Buffer
}

/** @param family of the token that it replaces. */
export function newRefreshToken(
  { random }: Tx,
  family = random.bytes(24).toString('base64url'),
): RefreshToken {
  return refreshToken(family, random.bytes(24).toString('base64url'))
}

/** Undefined when it cannot be one. */
export function readRefreshToken(secret: string): RefreshToken | undefined {
  const [, family, own] = /^glort-([\w-]{32})\.([\w-]{32})$/.exec(secret) ?? []
  return family === undefined || own === undefined ? undefined : refreshToken(family, own)
}

function refreshToken(family: string, own: string): RefreshToken {
  const secret = `${PREFIX}${family}.${own}`
  return { family, familyDigest: digestOf(family), secret, digest: digestOf(secret) }
}
