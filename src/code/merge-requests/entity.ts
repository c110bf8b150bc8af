import { type Static, type TSchema, Type } from 'typebox'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { LabelDetail } from '#planning/labels/entity.ts'
import { Milestone } from '#planning/milestones/entity.ts'
import { References, TaskCompletionStatus, TimeStats } from '#planning/issues/entity.ts'
import { UserBasic } from '#identity/users/basic.ts'
import { Pipeline, PipelineBasic } from '../pipelines/entity.ts'

export const mergeRequestStates = ['opened', 'closed', 'merged', 'locked'] as const

/** A field that clients should not rely on any more. */
const older = <T extends TSchema>(schema: T): T => ({ ...schema, deprecated: true })
/** Fields of pipelines, which do not exist yet. */
const none = Type.Unsafe<null>({ type: 'null' })

/** A merge request as the API presents it. */
export const MergeRequest = entity('MergeRequest', {
  id: integer(),
  iid: integer(),
  project_id: integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  state: oneOf(mergeRequestStates),
  created_at: moment(),
  updated_at: moment(),
  merged_by: older(nullable(UserBasic)),
  merge_user: nullable(UserBasic),
  merged_at: nullable(moment()),
  merge_after: nullable(moment()),
  closed_by: nullable(UserBasic),
  closed_at: nullable(moment()),
  target_branch: Type.String(),
  source_branch: Type.String(),
  user_notes_count: integer(),
  upvotes: integer(),
  downvotes: integer(),
  author: UserBasic,
  assignees: Type.Array(UserBasic),
  assignee: older(nullable(UserBasic)),
  reviewers: Type.Array(UserBasic),
  source_project_id: nullable(integer()),
  target_project_id: integer(),
  labels: Type.Unsafe<string[] | Static<typeof LabelDetail>[]>({
    type: 'array',
    description: 'Names, sorted; with `with_labels_details`, the labels.',
    items: { anyOf: [{ type: 'string' }, LabelDetail] },
  }),
  draft: Type.Boolean(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  work_in_progress: older(Type.Boolean()),
  milestone: nullable(Milestone),
  merge_when_pipeline_succeeds: Type.Boolean(),
  merge_status: older(Type.String()),
  detailed_merge_status: Type.String(),
  sha: Type.String(),
  merge_commit_sha: nullable(Type.String()),
  squash_commit_sha: nullable(Type.String()),
  discussion_locked: nullable(Type.Boolean()),
  should_remove_source_branch: nullable(Type.Boolean()),
  force_remove_source_branch: nullable(Type.Boolean()),
  prepared_at: nullable(moment()),
  allow_collaboration: Type.Boolean(),
  allow_maintainer_to_push: older(Type.Boolean()),
  reference: older(Type.String()),
  references: References,
  web_url: Type.String(),
  time_stats: TimeStats,
  squash: Type.Boolean(),
  squash_on_merge: Type.Boolean(),
  task_completion_status: TaskCompletionStatus,
  has_conflicts: Type.Boolean(),
  blocking_discussions_resolved: Type.Boolean(),
  approvals_before_merge: older(nullable(integer())),
})

/** The commits that the diff of a merge request compares. */
export const DiffRefs = Type.Object({
  base_sha: nullable(Type.String()),
  head_sha: Type.String(),
  start_sha: Type.String(),
})

/** One merge request on its own. */
export const MergeRequestSingle = entity('MergeRequestSingle', {
  ...MergeRequest.properties,
  subscribed: Type.Boolean(),
  changes_count: nullable(
    Type.String({ description: 'How many files differ; `1000+` for more than 1,000.' }),
  ),
  latest_build_started_at: nullable(moment()),
  latest_build_finished_at: nullable(moment()),
  first_deployed_to_production_at: none,
  pipeline: nullable(PipelineBasic),
  head_pipeline: nullable(Pipeline),
  diff_refs: DiffRefs,
  merge_error: nullable(Type.String()),
  first_contribution: Type.Boolean(),
  user: Type.Object({ can_merge: Type.Boolean() }),
  title_html: Type.Optional(Type.String()),
  description_html: Type.Optional(Type.String()),
  diverged_commits_count: Type.Optional(integer()),
  rebase_in_progress: Type.Optional(Type.Boolean()),
})
