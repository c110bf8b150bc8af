import { completed } from '#tenancy/projects/project-settings.ts'
import { isDraft } from './draft.ts'
import type { MergeRequestRow } from './queries.ts'

/** A reason why a merge request cannot be merged now, by its word in the API. */
interface MergeCheck {
  readonly status: string
  /** Whether it stands in the way, at a time in milliseconds since 1970. */
  readonly blocks: (row: MergeRequestRow, now: number) => boolean
  /** Whether it may pass by itself or by what people decide, so that an automatic merge waits for it. */
  readonly passes: boolean
}

/** All reasons. The first that stands in the way is the one that clients see. */
const mergeChecks: readonly MergeCheck[] = [
  { status: 'not_open', blocks: ({ state }) => state !== 'opened', passes: false },
  {
    status: 'merge_time',
    blocks: ({ merge_after }, now) => merge_after !== null && Date.parse(merge_after) > now,
    passes: true,
  },
  { status: 'draft_status', blocks: ({ title }) => isDraft(title), passes: true },
  {
    status: 'commits_status',
    blocks: ({ merge_obstacle }) => merge_obstacle === 'commits_status',
    passes: false,
  },
  {
    status: 'conflict',
    blocks: ({ merge_status, merge_obstacle }) =>
      merge_status === 'cannot_be_merged' && merge_obstacle !== 'commits_status',
    passes: false,
  },
  {
    status: 'need_rebase',
    blocks: ({ behind_target, settings }) => behind_target && completed(settings).merge_method !== 'merge',
    passes: false,
  },
]

/** What a look at the commits decides: `mergeability.ts` finds it anew for a merge. */
const byCommits: readonly string[] = ['commits_status', 'conflict', 'need_rebase']

const firstOf = (checks: readonly MergeCheck[], row: MergeRequestRow, now: number) =>
  checks.find(({ blocks }) => blocks(row, now))

/** Why a merge request cannot be merged now, in the word of the API; `mergeable` when it can. */
export function detailedMergeStatus(row: MergeRequestRow, now: number): string {
  const { state, merge_status } = row
  if (state === 'opened') {
    if (merge_status === 'unchecked' || merge_status === 'cannot_be_merged_recheck') return 'unchecked'
    if (merge_status === 'checking') return 'checking'
  }
  return firstOf(mergeChecks, row, now)?.status ?? 'mergeable'
/** What `detailed_merge_status` goes by, besides what other features add to it. */
type Checked = Pick<
  MergeRequestRow,
  | 'state'
  | 'title'
  | 'merge_status'
  | 'merge_after'
  | 'has_threads_to_resolve'
  | 'lacks_approvals'
  | 'awaits_changes'
>

/** When, and under which plan, somebody asks. */
export interface MergeMoment {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether the plan has required approvals. */
  readonly demandsApprovals: boolean
}

/** Why a merge request cannot be merged now, in the word of the API; `mergeable` when it can. */
export function detailedMergeStatus(
  { state, title, merge_status, merge_after, ...blocking }: Checked,
  { now, demandsApprovals }: MergeMoment,
): string {
  if (state !== 'opened') return 'not_open'
  if (merge_status === 'unchecked' || merge_status === 'cannot_be_merged_recheck') return 'unchecked'
  if (merge_status === 'checking') return 'checking'
  if (isDraft(title)) return 'draft_status'
  if (blocking.has_threads_to_resolve) return 'discussions_not_resolved'
  if (demandsApprovals && blocking.awaits_changes) return 'requested_changes'
  if (demandsApprovals && blocking.lacks_approvals) return 'not_approved'
  if (merge_status === 'cannot_be_merged') return 'conflict'
  if (merge_after !== null && Date.parse(merge_after) > now) return 'merge_time'
  return 'mergeable'
}

/** The first reason against a merge that has nothing to do with the commits; undefined for none. */
export const obstacleOf = (row: MergeRequestRow, now: number): MergeCheck | undefined =>
  firstOf(
    mergeChecks.filter(({ status }) => !byCommits.includes(status)),
    row,
    now,
  )
