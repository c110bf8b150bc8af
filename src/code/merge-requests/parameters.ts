import { Type } from 'typebox'
import {
  ById,
  count,
  emptiable,
  flag,
  integer,
  MAX_INT4,
  moment,
  nullable,
  oneOf,
  rules,
  text,
} from '#platform/http/schema.ts'
import { MAX_NAME } from '#code/repositories/limits.ts'

const iid = integer({
  minimum: 1,
  maximum: MAX_INT4,
  description: 'The number of the merge request in its project.',
})

export const mergeRequestKey = { param: 'merge_request_iid', schema: iid }

export const ByMergeRequest = Type.Object({ ...ById.properties, merge_request_iid: iid })

const nameList = (description: string) =>
  Type.Optional(emptiable(text({ max: 255 }), { description: `${description} With commas, or a list.` }))

const people = (description: string) => Type.Optional(emptiable(integer(), { description }))

const changes = {
  description: Type.Optional(nullable(text({ max: 1_048_576 }))),
  assignee_ids: people('All assignees; 0 or blank for nobody.'),
  assignee_id: Type.Optional(nullable(integer({ description: 'The older form for one; 0 for nobody.' }))),
  reviewer_ids: people('All reviewers; 0 or blank for nobody.'),
  milestone_id: Type.Optional(nullable(integer({ description: '0 or blank for none.' }))),
  labels: nameList('All labels, by name. The server creates unknown ones.'),
  add_labels: nameList('Labels to add.'),
  remove_labels: nameList('Labels to remove.'),
  remove_source_branch: Type.Optional(flag({ description: 'Whether merging removes the source branch.' })),
  allow_collaboration: Type.Optional(
    flag({ description: 'Whether members of the target project can push to the source branch.' }),
  ),
  allow_maintainer_to_push: Type.Optional(flag({ description: 'The older name of `allow_collaboration`.' })),
  squash: Type.Optional(flag({ description: 'Whether merging makes one commit of all.' })),
  merge_after: Type.Optional(nullable(moment({ description: 'No merge is possible before.' }))),
  approvals_before_merge: Type.Optional(
    nullable(count({ description: 'The older way to set how many approvals it takes.' })),
  ),
}

const branch = (description: string) => text({ max: MAX_NAME, filled: true, description })
const title = text({ max: 255, filled: true })

export const NewMergeRequest = Type.Object({
  title,
  source_branch: branch('A branch of the project in the path.'),
  target_branch: branch('A branch of the target project.'),
  target_project_id: Type.Optional(
    integer({ description: 'The project that gets the changes: this one, or one that it is a fork of.' }),
  ),
  ...changes,
})

const allChanges = {
  title: Type.Optional(title),
  target_branch: Type.Optional(branch('A branch of the project.')),
  state_event: Type.Optional(oneOf(['close', 'reopen'])),
  discussion_locked: Type.Optional(flag({ description: 'Whether only members can comment.' })),
  ...changes,
}

export const MergeRequestChanges = Type.Object(allChanges, rules({ atLeastOneOf: Object.keys(allChanges) }))
