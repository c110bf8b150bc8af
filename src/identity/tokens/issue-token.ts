import { administratorScopes, refuseUnused, type Scope } from '#platform/access/scopes.ts'
import type { TokenKind, UserKind } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, invalid } from '#platform/refusals.ts'
import { dayOf } from '#platform/http/time.ts'
import { createToken, type FreshToken, type NewToken } from './create-token.ts'
import { expiryOfNew, type TokenPolicy } from './expiry.ts'

/** The requested attributes of a token. */
export interface TokenRequest {
  readonly name: string
  readonly description?: string | null
  readonly scopes: readonly Scope[]
  readonly expires_at?: string
}

/** The user that the token will act as. */
export interface Holder {
  readonly id: number
  readonly admin: boolean
  readonly kind: UserKind
}

/**
 * Makes a token within the rules of the instance.
 * @param container that of a token of a project or group, whose holder is the bot made for it.
 * @throws 400 for an expiry that is not allowed, for no scopes, and for scopes that only administrators have; 403 for
 * further tokens of a bot.
 */
export async function issueToken(
  tx: Tx,
  kind: TokenKind,
  holder: Holder,
  { name, description = null, scopes, expires_at }: TokenRequest,
  policy: TokenPolicy,
  container?: NewToken['container'],
): Promise<FreshToken> {
  // A bot has one token, which its project or group lists. Another would outlive it unseen.
  if (holder.kind === 'bot' && container === undefined) {
    throw forbidden('The user of a project or group access token has no other tokens')
  }
  assertScopes(scopes, holder)
  return createToken(tx, {
    kind,
    userId: holder.id,
    ...(container && { container }),
    name,
    description,
    scopes: [...new Set(scopes)],
    expiresAt: expiryOfNew(policy, dayOf(tx.now), expires_at),
    prefix: policy.personal_access_token_prefix,
  })
}

function assertScopes(scopes: readonly Scope[], holder: Holder): void {
  if (scopes.length === 0) throw invalid({ scopes: ["can't be blank"] })
  if (!holder.admin && scopes.some((scope) => administratorScopes.includes(scope))) {
    throw invalid({ scopes: ['can only contain available scopes'] })
  }
  refuseUnused(scopes)
}
