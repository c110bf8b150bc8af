import { completed } from '#tenancy/projects/project-settings.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import { isDraft } from './draft.ts'
import type { MergeRequestRow } from './queries.ts'

/** When, and under which plan, somebody asks. */
export interface MergeMoment {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Whether the plan has required approvals. */
  readonly demandsApprovals: boolean
}

/** A reason why a merge request cannot be merged now, by its word in the API. */
interface MergeCheck {
  readonly status: string
  /** Whether it stands in the way. */
  readonly blocks: (row: MergeRequestRow, moment: MergeMoment) => boolean
  /** Whether it may pass by itself or by what people decide, so that an automatic merge waits for it. */
  readonly passes: boolean
}

/** All reasons. The first that stands in the way is the one that clients see. */
const mergeChecks: readonly MergeCheck[] = [
  { status: 'not_open', blocks: ({ state }) => state !== 'opened', passes: false },
  {
    status: 'merge_time',
    blocks: ({ merge_after }, { now }) => merge_after !== null && Date.parse(merge_after) > now,
    passes: true,
  },
  { status: 'draft_status', blocks: ({ title }) => isDraft(title), passes: true },
  {
    status: 'discussions_not_resolved',
    blocks: ({ has_threads_to_resolve }) => has_threads_to_resolve,
    passes: true,
  },
  { status: 'ci_still_running', blocks: (row) => !hasPassed(row) && isRunning(row), passes: true },
  { status: 'ci_must_pass', blocks: (row) => !hasPassed(row), passes: true },
  {
    status: 'requested_changes',
    blocks: ({ awaits_changes }, { demandsApprovals }) => demandsApprovals && awaits_changes,
    passes: true,
  },
  {
    status: 'not_approved',
    blocks: ({ lacks_approvals }, { demandsApprovals }) => demandsApprovals && lacks_approvals,
    passes: true,
  },
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

/** Whether the pipeline lets it be merged, as far as the project demands one. */
function hasPassed({ settings, pipeline_status }: MergeRequestRow): boolean {
  const { only_allow_merge_if_pipeline_succeeds: demanded, allow_merge_on_skipped_pipeline: skipped } =
    completed(settings)
  if (!demanded || pipeline_status === 'success') return true
  return skipped === true && pipeline_status === 'skipped'
}

const ended: ReadonlySet<CiStatus> = new Set<CiStatus>(['success', 'failed', 'canceled', 'skipped', 'manual'])
const isRunning = ({ pipeline_status: status }: MergeRequestRow): boolean =>
  status !== null && !ended.has(status)

/** What a look at the commits decides: `mergeability.ts` finds it anew for a merge. */
const byCommits: readonly string[] = ['commits_status', 'conflict', 'need_rebase']

const firstOf = (checks: readonly MergeCheck[], row: MergeRequestRow, moment: MergeMoment) =>
  checks.find(({ blocks }) => blocks(row, moment))

/** Why a merge request cannot be merged now, in the word of the API; `mergeable` when it can. */
export function detailedMergeStatus(row: MergeRequestRow, moment: MergeMoment): string {
  const { state, merge_status } = row
  if (state === 'opened') {
    if (merge_status === 'unchecked' || merge_status === 'cannot_be_merged_recheck') return 'unchecked'
    if (merge_status === 'checking') return 'checking'
  }
  return firstOf(mergeChecks, row, moment)?.status ?? 'mergeable'
}

/** The first reason against a merge that has nothing to do with the commits; undefined for none. */
export const obstacleOf = (row: MergeRequestRow, moment: MergeMoment): MergeCheck | undefined =>
  firstOf(
    mergeChecks.filter(({ status }) => !byCommits.includes(status)),
    row,
    moment,
  )
