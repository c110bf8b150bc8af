import { type AuditedFacts, event, says, whose } from '#platform/facts/audited.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'

export const spamFacts = {
  'spam recognized': fact<{ noteable_type: string; user_id: number }>(),
  'CAPTCHA solved': fact<{ user_id: number }>(),
  'spam log deleted': fact<{ user_id: number }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof spamFacts> {}
}

export const auditedSpam: AuditedFacts = {
  'spam log deleted': event('spam_log_destroyed', ({ details }) => ({
    ...whose(details.user_id),
    ...says('Deleted a spam log'),
  })),
}
