import type { Static } from 'typebox'
import { flat } from '#platform/http/flat.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import { presentUserBasic } from '#identity/users/basic.ts'
import { type Audience, countTasks, presentTimeStats, referencesOf } from '#planning/issues/present.ts'
import { presentLabelDetail } from '#planning/labels/entity.ts'
import { presentMilestone } from '#planning/milestones/entity.ts'
import { isDraft } from './draft.ts'
import type { MergeRequest, MergeRequestSingle } from './entity.ts'
import { readAutoMerge } from './merge/merge-options.ts'
import { squashes } from './merge/squashes.ts'
import {
  type PipelineRow,
  presentPipeline,
  presentPipelineBasic,
  type ProjectSite,
} from '../pipelines/entity.ts'
import { detailedMergeStatus, type MergeMoment } from './merge-status.ts'
import type { MergeRequestRow, SingleMergeRequestRow } from './queries.ts'

/** What presenters need besides the row. */
export interface MergeRequestAudience extends Audience, MergeMoment {}

interface PresentOptions {
  readonly with_labels_details?: boolean
}

export function presentMergeRequest(
  row: MergeRequestRow,
  audience: MergeRequestAudience,
  wanted: PresentOptions = {},
): Static<typeof MergeRequest> {
  const { site, today } = audience
  const basic = (user: Parameters<typeof presentUserBasic>[0] | null) =>
    user === null ? null : presentUserBasic(user, site)
  const assignees = row.assignees.map((user) => presentUserBasic(user, site))
  const references = referencesOf('!', row, audience)
  const merge_user = basic(row.merge_user)
  const removes = row.remove_source_branch
  const draft = isDraft(row.title)
  return {
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    merged_by: merge_user,
    merge_user,
    merged_at: isoOrNull(row.merged_at),
    merge_after: isoOrNull(row.merge_after),
    closed_by: basic(row.closed_by),
    closed_at: isoOrNull(row.closed_at),
    target_branch: row.target_branch,
    source_branch: row.source_branch,
    user_notes_count: row.user_notes_count,
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    author: presentUserBasic(row.author, site),
    assignees,
    assignee: assignees[0] ?? null,
    reviewers: row.reviewers.map((user) => presentUserBasic(user, site)),
    source_project_id: row.source_project_id,
    target_project_id: row.project_id,
    labels: wanted.with_labels_details
      ? row.labels.map(presentLabelDetail)
      : row.labels.map(({ name }) => name),
    draft,
    imported: false,
    imported_from: 'none',
    work_in_progress: draft,
    milestone: row.milestone === null ? null : presentMilestone(row.milestone, site, today),
    merge_when_pipeline_succeeds: row.auto_merge !== null,
    merge_status: row.merge_status,
    detailed_merge_status: detailedMergeStatus(row, audience),
    sha: row.head_sha,
    merge_commit_sha: row.merge_commit_sha,
    squash_commit_sha: row.squash_commit_sha,
    discussion_locked: row.discussion_locked,
    should_remove_source_branch:
      row.auto_merge === null ? null : (readAutoMerge(row.auto_merge)?.should_remove_source_branch ?? null),
    force_remove_source_branch: removes,
    prepared_at: iso(row.created_at),
    allow_collaboration: row.allow_collaboration,
    allow_maintainer_to_push: row.allow_collaboration,
    reference: references.short,
    references,
    web_url: flat`${site}/${row.full_path}/-/merge_requests/${row.iid}`,
    time_stats: presentTimeStats(row),
    squash: row.squash,
    squash_on_merge: squashes(row, undefined),
    task_completion_status: countTasks(row.description ?? ''),
    has_conflicts: row.merge_status === 'cannot_be_merged',
    blocking_discussions_resolved: !row.has_threads_to_resolve,
    approvals_before_merge: row.approvals_required,
  }
}

/** What a single one shows besides. */
interface SingleFields {
  /** Whether the caller may merge it, as far as the rights on the target branch go. */
  readonly canMerge: boolean
  /** The pipeline of its tip, and where; null where there is none that the caller may see. */
  readonly pipeline: { readonly row: PipelineRow; readonly at: ProjectSite } | null
}

export function presentSingleMergeRequest(
  row: SingleMergeRequestRow,
  audience: MergeRequestAudience,
  { canMerge, pipeline }: SingleFields,
): Static<typeof MergeRequestSingle> {
  const { changed_files, base_sha, head_sha, start_sha } = row
  return {
    ...presentMergeRequest(row, audience),
    subscribed: row.subscribed,
    changes_count: changed_files === 0 ? null : changed_files > 1_000 ? '1000+' : String(changed_files),
    latest_build_started_at: isoOrNull(pipeline?.row.started_at ?? null),
    latest_build_finished_at: isoOrNull(pipeline?.row.finished_at ?? null),
    first_deployed_to_production_at: null,
    pipeline: pipeline && presentPipelineBasic(pipeline.row, pipeline.at),
    head_pipeline: pipeline && presentPipeline(pipeline.row, pipeline.at),
    diff_refs: { base_sha, head_sha, start_sha },
    merge_error: row.merge_error,
    first_contribution: false,
    user: { can_merge: canMerge },
  }
}
