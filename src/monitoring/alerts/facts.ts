import { type DetailsOf, fact } from '#platform/facts/definitions.ts'

/** The type of alerts in the API, and as targets of domain events. */
export const ALERT = 'AlertManagement::Alert'

interface Reported {
  readonly iid: number
  readonly title: string
  /** Whether the project wants mails. */
  readonly mails: boolean
}

interface Person {
  readonly id: number
  readonly username: string
}

export const alertFacts = {
  'alert created': fact<Reported & { severity: string }>(),
  /** The monitoring tool says that it is over. */
  'alert recovered': fact<Reported>(),
  /** Somebody says so, or takes it up. */
  'alert status changed': fact<{ iid: number; from: string; to: string }>(),
  'alert assignees changed': fact<{ added: readonly Person[]; removed: readonly Person[] }>(),
  'alert incident created': fact<{ iid: number; issue_id: number; issue_iid: number }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof alertFacts> {}
}

/** The namespace and target of a domain event about an alert. */
export const aboutAlert = ({ id, namespace_id }: { readonly id: number; readonly namespace_id: number }) => ({
  namespace: namespace_id,
  target: { type: ALERT, id },
})
