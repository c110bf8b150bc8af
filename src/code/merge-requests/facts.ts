import { activity, type DetailsOf, fact, type Nothing, type Renamed } from '#platform/facts/definitions.ts'
import { type AuditedFacts, event, namedTarget } from '#platform/facts/audited.ts'
import type { PushedCommits } from './pushes/pushed-commits.ts'

/** A user by id, with their name at that time. */
interface Person {
  readonly id: number
  readonly username: string
}

interface People {
  readonly added: readonly Person[]
  readonly removed: readonly Person[]
  /** Whether they are the first ones. */
  readonly at_creation?: true
}

interface Ids {
  readonly added: readonly number[]
  readonly removed: readonly number[]
  readonly at_creation?: true
}

export const mergeRequestFacts = {
  'merge request created': activity<{ iid: number; title: string }>(),
  'merge request retitled': activity<Renamed>(),
  'merge request description changed': activity<Nothing>(),
  'merge request target branch changed': activity<Renamed>(),
  'merge request assignees changed': activity<People>(),
  'merge request reviewers changed': activity<People>(),
  /** The ids of the labels. */
  'merge request labels changed': activity<Ids>(),
  'merge request milestone changed': activity<{ from: number | null; to: number | null }>(),
  'merge request lock changed': activity<{ locked: boolean }>(),
  /** In seconds; 0 removes the estimate. */
  'merge request time estimated': activity<{ seconds: number }>(),
  /** In seconds, negative when time was removed; null when all of it was. */
  'merge request time spent': activity<{ seconds: number | null }>(),
  'merge request closed': activity<Nothing>(),
  'merge request reopened': activity<Nothing>(),
  /** The commit that the merge made, or the last one that came. */
  'merge request merged': activity<{ commit: string }>(),
  'merge request commits pushed': activity<PushedCommits>(),
  'merge request source branch changed': activity<{ branch: string; presence: 'deleted' | 'restored' }>(),
  /** An automatic merge waits, or does not any more; `sha` is the commit that it waits with. */
  'merge request auto-merge changed': activity<{
    state: 'enabled' | 'canceled' | 'aborted'
    sha: string | null
  }>(),
  /** The branches conflict, which they did not when they were last looked at. */
  'merge request conflicts found': fact<{ author_id: number }>(),
  'merge request threads resolved': fact<Nothing>(),
  /** Suggestions became a commit: how many, and in how many files. */
  'merge request suggestions applied': fact<{ suggestions: number; files: number }>(),
  /** Another noteable mentions this one. */
  'merge request mentioned': fact<{ about_id: number; noun: string; reference: string }>(),
  'merge request deleted': activity<{ iid: number; title: string }>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof mergeRequestFacts> {}
}

export const auditedMergeRequest: AuditedFacts = {
  'merge request deleted': event('delete_merge_request', ({ target, details: { iid, title } }) => ({
    ...namedTarget(target, title),
    details: { remove: 'merge_request', custom_message: `Deleted merge request !${iid}` },
  })),
}
