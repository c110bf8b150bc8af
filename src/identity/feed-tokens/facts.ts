import { type AuditedFacts, event } from '#platform/facts/audited.ts'
import { type DetailsOf, fact, type Nothing } from '#platform/facts/definitions.ts'

export const feedTokenFacts = {
  'feed token reset': fact<Nothing>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof feedTokenFacts> {}
}

export const auditedFeedToken: AuditedFacts = {
  'feed token reset': event('feed_token_reset', () => ({ details: { custom_message: 'Reset feed token' } })),
}
