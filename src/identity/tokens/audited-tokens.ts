import type { TokenKind } from '#platform/db/schema.ts'
import type { FactOf } from '#platform/facts/fact.ts'
import type { AuditDetails, AuditEvent } from '#platform/facts/audited.ts'

const kinds: readonly TokenKind[] = ['personal', 'impersonation', 'project', 'group']

const titleOf = (kind: TokenKind) =>
  kind === 'impersonation' ? 'impersonation token' : `${kind} access token`

const eventOf = (kind: TokenKind, done: string) => `${titleOf(kind).replaceAll(' ', '_')}_${done}`

/** The event names of an action on a token, one for each kind of token. */
export const tokenEventNames = (done: string): string[] => kinds.map((kind) => eventOf(kind, done))

type TokenFact = FactOf<'token created' | 'token rotated' | 'token revoked' | 'token reuse refused'>

/** An audit event about a token: in the list of its project or group, or else of the user for whom it acts. */
export function tokenEvent(
  { namespace, target, details: { kind, user_id, name } }: TokenFact,
  done: string,
  describe: (title: string) => AuditDetails,
): AuditEvent {
  return {
    event: eventOf(kind, done),
    entity: namespace === null ? { user: user_id } : { namespace },
    ...(target && { target: { ...target, name } }),
    details: describe(titleOf(kind)),
  }
}
