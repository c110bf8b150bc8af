import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'
import { activity, fact, type DetailsOf, type Nothing, type Renamed } from '#platform/facts/definitions.ts'

/** Another epic or issue; `reference` as it is written from the event's target. */
interface Other {
  readonly noteable_id: number
  readonly reference: string
}

interface Dated {
  readonly from: string | null
  readonly to: string | null
}

export const epicFacts = {
  'epic created': activity<{ iid: number; title: string }>(),
  'epic retitled': activity<Renamed>(),
  'epic description changed': activity<Nothing>(),
  /** The ids of the labels. */
  'epic labels changed': activity<{
    added: readonly number[]
    removed: readonly number[]
    at_creation?: true
  }>(),
  /** The date that the epic shows, because somebody changed it; not when it inherits another one. */
  'epic start date changed': activity<Dated>(),
  'epic due date changed': activity<Dated>(),
  'epic confidentiality changed': activity<{ confidential: boolean }>(),
  'epic color changed': activity<Renamed>(),
  'epic closed': activity<Nothing>(),
  'epic reopened': activity<Nothing>(),
  /** Another noteable mentions this epic; `noun` says of which kind it is. */
  'epic mentioned': fact<Other & { noun: string }>(),
  /** An event of the child; the two after it are events of the parent. */
  'epic parent added': activity<Other>(),
  'epic parent removed': activity<Other>(),
  'epic child added': activity<Other>(),
  'epic child removed': activity<Other>(),
  'epic issue added': activity<Other>(),
  'epic issue removed': activity<Other>(),
  /** `relation`: what this epic is to the other. */
  'epic linked': activity<Other & { relation: string }>(),
  'epic unlinked': activity<Other>(),
  'epic deleted': activity<{ iid: number; title: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof epicFacts> {}
}

export const auditedEpic: AuditedFacts = {
  'epic deleted': event('delete_epic', ({ target, details: { iid, title } }) => ({
    ...namedTarget(target, title),
    details: { remove: 'epic', custom_message: `Deleted epic &${iid}` },
  })),
}
