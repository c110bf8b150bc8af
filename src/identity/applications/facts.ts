import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import { type AuditedFacts, event, namedTarget, says, whose } from '#platform/facts/audited.ts'

export const applicationFacts = {
  'application created': fact<{ name: string; scopes: readonly string[]; confidential: boolean }>(),
  'application changed': fact<{ name: string; scopes: readonly string[]; confidential: boolean }>(),
  'application secret renewed': fact<{ name: string }>(),
  'application deleted': fact<{ name: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof applicationFacts> {}
}

export const auditedApplication: AuditedFacts = {
  'application created': event('oauth_application_created', ({ target, details }, authorId) => ({
    ...whose(authorId),
    ...namedTarget(target, details.name),
    details: {
      add: 'application',
      custom_message: `Added OAuth application with the scopes ${details.scopes.join(', ')}`,
    },
  })),
  'application changed': event('oauth_application_updated', ({ target, details }, authorId) => ({
    ...whose(authorId),
    ...namedTarget(target, details.name),
    ...says(`Changed OAuth application; its scopes are ${details.scopes.join(', ')}`),
  })),
  'application secret renewed': event(
    'oauth_application_secret_renewed',
    ({ target, details }, authorId) => ({
      ...whose(authorId),
      ...namedTarget(target, details.name),
      ...says('Renewed the secret of an OAuth application'),
    }),
  ),
  'application deleted': event('oauth_application_deleted', ({ target, details }, authorId) => ({
    ...whose(authorId),
    ...namedTarget(target, details.name),
    details: { remove: 'application' },
  })),
}
