import { type AuditedFacts, event, namedTarget, says } from '#platform/facts/audited.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'

export const broadcastMessageFacts = {
  /** `about`: how the message begins. */
  'broadcast message created': fact<{ about: string }>(),
  'broadcast message changed': fact<{ about: string; fields: readonly string[] }>(),
  'broadcast message deleted': fact<{ about: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof broadcastMessageFacts> {}
}

export const auditedBroadcastMessages: AuditedFacts = {
  'broadcast message created': event('broadcast_message_created', ({ target, details: { about } }) => ({
    ...namedTarget(target, about),
    details: { add: 'broadcast message' },
  })),
  'broadcast message changed': event(
    'broadcast_message_updated',
    ({ target, details: { about, fields } }) => ({
      ...namedTarget(target, about),
      ...says(`Changed ${fields.join(', ')}`),
    }),
  ),
  'broadcast message deleted': event('broadcast_message_deleted', ({ target, details: { about } }) => ({
    ...namedTarget(target, about),
    details: { remove: 'broadcast message' },
  })),
}
