import { type AuditedFacts, event, namedTarget, whose } from '#platform/facts/audited.ts'
import { fact, type DetailsOf } from '#platform/facts/definitions.ts'

/** A further address of `user_id`. */
interface Address {
  readonly email: string
  readonly user_id: number
}

export const emailFacts = {
  'email added': fact<Address>(),
  'email confirmed': fact<Address>(),
  'email deleted': fact<Address>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof emailFacts> {}
}

export const auditedEmail: AuditedFacts = {
  'email added': event('email_created', ({ target, details }) => ({
    ...whose(details.user_id),
    ...namedTarget(target, details.email),
    details: { add: 'email' },
  })),
  'email confirmed': event('email_confirmed', ({ target, details }) => ({
    ...whose(details.user_id),
    ...namedTarget(target, details.email),
    details: { custom_message: 'Confirmed an e-mail address' },
  })),
  'email deleted': event('email_destroyed', ({ target, details }) => ({
    ...whose(details.user_id),
    ...namedTarget(target, details.email),
    details: { remove: 'email' },
  })),
}
