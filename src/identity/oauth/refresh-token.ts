import { digestOf } from '#platform/access/digest.ts'
import type { Tx } from '#platform/db/transaction.ts'

const PREFIX = 'glort-'

/**
 * A refresh token has two parts: one that it shares with its predecessors and successors, and one of its own. A token
 * with a known first part and any other second part was replaced before. So reuse is recognized as long as the consent
 * lasts, without a row for each token.
 */
export interface RefreshToken {
  readonly family: string
  readonly familyDigest: Buffer
  readonly secret: string
  readonly digest: Buffer
}

/** @param family that of the token that it replaces. */
export function newRefreshToken(
  { random }: Tx,
  family = random.bytes(24).toString('base64url'),
): RefreshToken {
  return refreshToken(family, random.bytes(24).toString('base64url'))
}

/** @returns undefined for a text that cannot be a refresh token. */
export function readRefreshToken(secret: string): RefreshToken | undefined {
  const [, family, own] = /^glort-([\w-]{32})\.([\w-]{32})$/.exec(secret) ?? []
  return family === undefined || own === undefined ? undefined : refreshToken(family, own)
}

function refreshToken(family: string, own: string): RefreshToken {
  const secret = `${PREFIX}${family}.${own}`
  return { family, familyDigest: digestOf(family), secret, digest: digestOf(secret) }
}
