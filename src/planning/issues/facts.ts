import { activity, fact, type DetailsOf, type Nothing, type Renamed } from '#platform/facts/definitions.ts'
import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'

/** A user by id, with their name at that time. */
interface Person {
  readonly id: number
  readonly username: string
}

/** An issue or noteable other than the event's target; `reference` as it is written from the target. */
interface OtherIssue {
  readonly issue_id: number
  /** The noun of the other, when it is a noteable of another kind. */
  readonly noun?: string
  readonly reference: string
}

/** The commit or merge request that closed an issue. */
export interface Closer {
  readonly noteable_id: number
  /** Of a commit its id. */
  readonly sha?: string
  /** The noun of what is no commit. */
  readonly noun?: string
  /** As it is written from the issue's project. */
  readonly reference: string
}

export const issueFacts = {
  /** `moved`: it is the continuation of another one. */
  'issue created': activity<{ iid: number; title: string; moved?: true }>(),
  'issue retitled': activity<Renamed>(),
  'issue description changed': activity<Nothing>(),
  'issue type changed': activity<Renamed>(),
  /** `at_creation`: they are the first ones. */
  'issue assignees changed': activity<{
    added: readonly Person[]
    removed: readonly Person[]
    at_creation?: true
  }>(),
  /** The ids of the labels. */
  'issue labels changed': activity<{
    added: readonly number[]
    removed: readonly number[]
    at_creation?: true
  }>(),
  'issue milestone changed': activity<{ from: number | null; to: number | null }>(),
  'issue due date changed': activity<{ from: string | null; to: string | null }>(),
  'issue weight changed': activity<{ from: number | null; to: number | null }>(),
  'issue confidentiality changed': activity<{ confidential: boolean }>(),
  'issue lock changed': activity<{ locked: boolean }>(),
  /** `moved`: it goes on as another one. */
  'issue closed': activity<{ by?: Closer; moved?: true }>(),
  'issue reopened': activity<Nothing>(),
  /** Another issue mentions this one. */
  'issue mentioned': fact<OtherIssue>(),
  /** `relation`: what this issue is to the other. */
  'issue linked': activity<OtherIssue & { relation: string }>(),
  'issue unlinked': activity<OtherIssue>(),
  /** In seconds; 0 removes the estimate. */
  'issue time estimated': activity<{ seconds: number }>(),
  /** In seconds, negative when time was removed; null when all of it was. */
  'issue time spent': activity<{ seconds: number | null }>(),
  /** An event of the original issue; the next one is an event of the new issue. The same holds for clones. */
  'issue moved': activity<OtherIssue>(),
  'issue moved here': activity<OtherIssue>(),
  'issue cloned': activity<OtherIssue>(),
  'issue cloned here': activity<OtherIssue>(),
  /** An event of the issue that repeats another one; the next one is an event of that other one. */
  'issue marked as duplicate': activity<OtherIssue>(),
  'issue has duplicate': activity<OtherIssue>(),
  'issue added to epic': activity<OtherIssue>(),
  'issue removed from epic': activity<OtherIssue>(),
  'issue deleted': activity<{ iid: number; title: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof issueFacts> {}
}

export const auditedIssue: AuditedFacts = {
  'issue deleted': event('delete_issue', ({ target, details: { iid, title } }) => ({
    ...namedTarget(target, title),
    details: { remove: 'issue', custom_message: `Deleted issue #${iid}` },
  })),
}
