import { Type } from 'typebox'
import { flag, nullable, oneOf, text } from '#platform/http/schema.ts'
import { type CustomEvent, notificationLevels, sentWhen } from './events.ts'

const event = (name: CustomEvent) =>
  Type.Optional(
    nullable(flag({ description: `Whether to be told when ${sentWhen[name]}. Null: the default.` })),
  )

const events = {
  approver: event('approver'),
  change_reviewer_merge_request: event('change_reviewer_merge_request'),
  close_issue: event('close_issue'),
  close_merge_request: event('close_merge_request'),
  failed_pipeline: event('failed_pipeline'),
  fixed_pipeline: event('fixed_pipeline'),
  issue_due: event('issue_due'),
  merge_merge_request: event('merge_merge_request'),
  merge_when_pipeline_succeeds: event('merge_when_pipeline_succeeds'),
  moved_project: event('moved_project'),
  new_epic: event('new_epic'),
  new_issue: event('new_issue'),
  new_merge_request: event('new_merge_request'),
  new_note: event('new_note'),
  new_release: event('new_release'),
  push_to_merge_request: event('push_to_merge_request'),
  reassign_issue: event('reassign_issue'),
  reassign_merge_request: event('reassign_merge_request'),
  reopen_issue: event('reopen_issue'),
  reopen_merge_request: event('reopen_merge_request'),
  success_pipeline: event('success_pipeline'),
} satisfies Record<CustomEvent, unknown>

const level = Type.Optional(oneOf(notificationLevels, { description: 'How much to be told.' }))

/** Changes of the settings in a project or group. */
export const SettingsChanges = Type.Object({ level, ...events })

/** Changes of the settings for everywhere. */
export const GlobalSettingsChanges = Type.Object({
  level,
  notification_email: Type.Optional(
    text({ filled: true, description: 'Where mails go: one of your confirmed addresses.' }),
  ),
  notified_of_own_activity: Type.Optional(
    flag({ description: 'Whether to be told of what you do yourself.' }),
  ),
  ...events,
})
