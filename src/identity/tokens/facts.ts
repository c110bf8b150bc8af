import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import type { TokenKind } from '#platform/db/schema.ts'
import { type AuditedFacts, eventForEach, role, until } from '#platform/facts/audited.ts'
import { tokenEvent, tokenEventNames } from './audited-tokens.ts'

/** A token of `user_id`, who is a bot when the token belongs to a project or group. */
interface Token {
  readonly name: string
  readonly kind: TokenKind
  readonly user_id: number
}

export const tokenFacts = {
  'token created': fact<
    Token & { scopes: readonly string[]; expires_at: string | null; access_level: number | null }
  >(),
  'token rotated': fact<Token & { expires_at: string | null }>(),
  'token revoked': fact<Token>(),
  /** Somebody rotated a revoked token, so the rest of its family is revoked, too. */
  'token reuse refused': fact<Token>(),
  /** Recorded once for each of these numbers of days before the end. */
  'token expires soon': fact<{ name: string; expires_at: string; days: 60 | 30 | 7 | 1 }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof tokenFacts> {}
}

export const auditedToken: AuditedFacts = {
  'token created': eventForEach(tokenEventNames('created'), (fact) => {
    const { scopes, expires_at, access_level } = fact.details
    return [
      tokenEvent(fact, 'created', (add) => ({
        add,
        ...(access_level === null ? {} : { as: role(access_level) }),
        custom_message: `Created ${add} with the scopes ${scopes.join(', ')}, ${until(expires_at)}`,
      })),
    ]
  }),
  'token rotated': eventForEach(tokenEventNames('rotated'), (fact) => [
    tokenEvent(fact, 'rotated', (title) => ({
      custom_message: `Rotated ${title}; the new one is good ${until(fact.details.expires_at)}`,
    })),
  ]),
  'token revoked': eventForEach(tokenEventNames('revoked'), (fact) => [
    tokenEvent(fact, 'revoked', (title) => ({ remove: title, custom_message: `Revoked ${title}` })),
  ]),
  'token reuse refused': eventForEach(tokenEventNames('reuse_refused'), (fact) => [
    tokenEvent(fact, 'reuse_refused', (title) => ({
      custom_message: `Refused ${title} that had been replaced, and revoked what came of it`,
    })),
  ]),
}
