import type { TokenFacts } from './queries.ts'
import { iso } from '#platform/http/time.ts'
import { epochSeconds } from './lifetimes.ts'

/** Describes a token to its holder (`/oauth/token/info`). Some fields have two names because clients read both. */
export function describeToHolder(token: TokenFacts, now: Date) {
  const expires_in = Math.ceil((Date.parse(iso(token.ends_at)) - now.getTime()) / 1_000)
  return {
    resource_owner_id: token.user_id,
    scope: token.scopes,
    expires_in,
    application: { uid: token.uid },
    created_at: epochSeconds(iso(token.created_at)),
    scopes: token.scopes,
    expires_in_seconds: expires_in,
  }
}

/** Describes a token to its own application (RFC 7662 §2.2). Tokens of others appear merely as inactive. */
export function describeToClient(token: TokenFacts | undefined, client: { readonly id: number }) {
  if (token === undefined || token.application_id !== client.id) return { active: false }
  return {
    active: true,
    scope: token.scopes.join(' '),
    client_id: token.uid,
    token_type: 'Bearer',
    exp: epochSeconds(iso(token.ends_at)),
    iat: epochSeconds(iso(token.created_at)),
  }
}
