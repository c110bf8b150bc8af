import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import { type AuditedFacts, event, says } from '#platform/facts/audited.ts'

export const sessionFacts = {
  'session started': fact<{ session_id: number }>(),
  'session ended': fact<{ session_id: number }>(),
  'other sessions ended': fact<{ kept_session_id: number; count: number }>(),
  /** Null when there is no such account: people type passwords there, too. */
  'sign-in refused': fact<{ login: string | null }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof sessionFacts> {}
}

export const auditedSession: AuditedFacts = {
  'session started': event('session_started', () => ({ details: { with: 'standard' } })),
  'session ended': event('session_ended', () => says('Signed out')),
  'other sessions ended': event('other_sessions_ended', ({ details: { count } }) =>
    says(`Signed out of ${count} other ${count === 1 ? 'session' : 'sessions'}`),
  ),
  'sign-in refused': event('login_failed_with_standard_authentication', () => says('Sign-in refused')),
}
