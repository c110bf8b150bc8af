import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import { type AuditedFacts, event, namedTarget, says, whose } from '#platform/facts/audited.ts'

export const oauthFacts = {
  /** A user let an application act for them. */
  'application authorized': fact<{ name: string; user_id: number; scopes: readonly string[] }>(),
  /** The application may no longer act: the user revoked it, or it gave its token back. */
  'application revoked': fact<{ name: string; user_id: number }>(),
  /** A code or refresh token was used twice, which ended every token that came of it. `what` says which of the two. */
  'OAuth token reuse refused': fact<{ name: string; user_id: number; what: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof oauthFacts> {}
}

export const auditedOauth: AuditedFacts = {
  'application authorized': event('oauth_application_authorized', ({ target, details }) => ({
    ...whose(details.user_id),
    ...namedTarget(target, details.name),
    ...says(`Let an OAuth application act with the scopes ${details.scopes.join(', ')}`),
  })),
  'application revoked': event('oauth_application_revoked', ({ target, details }) => ({
    ...whose(details.user_id),
    ...namedTarget(target, details.name),
    ...says('An OAuth application may not act for the user any more'),
  })),
  'OAuth token reuse refused': event('oauth_token_reuse_refused', ({ target, details }) => ({
    ...whose(details.user_id),
    ...namedTarget(target, details.name),
    ...says(`Refused ${details.what} that was used before, and revoked what came of it`),
  })),
}
