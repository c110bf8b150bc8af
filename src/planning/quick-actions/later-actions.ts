import { epicActions } from './epic-actions.ts'
import { issueActions } from './issue-actions.ts'
import { type ActionTable, type QuickAction, commandFailed } from './quick-action.ts'

/** Commands that users of the API know and that Forgelet does not support yet. */
export const unsupportedCommands = [
  'add_child',
  'add_contacts',
  'add_email',
  'board_move',
  'checkin_reminder',
  'clear_health_status',
  'convert_to_ticket',
  'copy_metadata',
  'create_merge_request',
  'health_status',
  'invite_email',
  'iteration',
  'link',
  'page',
  'promote',
  'promote_to',
  'promote_to_incident',
  'publish',
  'remove_child',
  'remove_contacts',
  'remove_email',
  'remove_iteration',
  'remove_parent',
  'remove_zoom',
  'set_parent',
  'severity',
  'ship',
  'shrug',
  'tableflip',
  'tag',
  'timeline',
  'type',
  'unlink',
  'zoom',
] as const

/** Commands of merge requests. What they do is said where merge requests are. */
const ofMergeRequests = [
  'approve',
  'assign_reviewer',
  'draft',
  'merge',
  'ready',
  'reassign_reviewer',
  'rebase',
  'remove_reviewer',
  'request_changes',
  'request_review',
  'reviewer',
  'submit_review',
  'target_branch',
  'unapprove',
  'unassign_reviewer',
]

/** Says so, instead of letting a command become a comment that everybody reads. */
const notYet = (name: string): QuickAction => ({
  does: 'Not available yet.',
  run: () => commandFailed(`/${name} is not available yet.`),
})

/** The same for commands of other things than the one that the note is on. */
const elsewhere = (name: string, where: string): QuickAction => ({
  does: `Only for ${where}.`,
  run: () => commandFailed(`/${name} is only for ${where}.`),
})

const tableOf = (names: readonly string[], action: (name: string) => QuickAction): ActionTable =>
  Object.fromEntries(names.map((name) => [name, action(name)]))

/** The commands that some noteables have, besides those of others and those that nothing has yet. */
export function recognized(
  own: ActionTable,
  others: readonly { readonly actions: ActionTable; readonly where: string }[],
): ActionTable {
  const names = new Set(Object.entries(own).flatMap(([name, { aliases = [] }]) => [name, ...aliases]))
  const foreign = Object.assign(
    tableOf(unsupportedCommands, notYet),
    tableOf(ofMergeRequests, (name) => elsewhere(name, 'merge requests')),
    ...others.map(({ actions, where }) => tableOf(Object.keys(actions), (name) => elsewhere(name, where))),
  )
  return {
    ...Object.fromEntries(Object.entries<QuickAction>(foreign).filter(([name]) => !names.has(name))),
    ...own,
  }
}

export const ofIssues = { actions: issueActions, where: 'issues' }
export const ofEpics = { actions: epicActions, where: 'epics' }

/** All commands that are recognized in notes of issues. */
export const quickActions = recognized(issueActions, [ofEpics])

/** The same for epics. */
export const quickActionsOfEpics = recognized(epicActions, [ofIssues])
