import { fact, type DetailsOf } from '#platform/facts/definitions.ts'
import { type AuditedFacts, event, namedTarget, says } from '#platform/facts/audited.ts'

export const topicFacts = {
  'topic created': fact<{ topic: string }>(),
  'topic changed': fact<{ topic: string; fields: readonly string[] }>(),
  'topic deleted': fact<{ topic: string }>(),
  /** The event of the target; `merged` is the name of the deleted topic. */
  'topics merged': fact<{ topic: string; merged: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof topicFacts> {}
}

export const auditedTopic: AuditedFacts = {
  'topic created': event('topic_created', ({ target, details: { topic } }) => ({
    ...namedTarget(target, topic),
    details: { add: 'topic' },
  })),
  'topic changed': event('topic_updated', ({ target, details: { topic, fields } }) => ({
    ...namedTarget(target, topic),
    ...says(`Changed ${fields.join(', ')}`),
  })),
  'topic deleted': event('topic_deleted', ({ target, details: { topic } }) => ({
    ...namedTarget(target, topic),
    details: { remove: 'topic' },
  })),
  'topics merged': event('topics_merged', ({ target, details: { topic, merged } }) => ({
    ...namedTarget(target, topic),
    details: { remove: merged },
  })),
}
