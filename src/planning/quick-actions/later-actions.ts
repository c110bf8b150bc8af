import { epicActions } from './epic-actions.ts'
import { issueActions } from './issue-actions.ts'
import { type ActionTable, type QuickAction, refused } from './quick-action.ts'

/** Commands that users of the API know and that Forgelet does not support yet. */
export const later = [
  'add_child',
  'add_contacts',
  'add_email',
  'approve',
  'assign_reviewer',
  'blocked_by',
  'blocks',
  'board_move',
  'checkin_reminder',
  'clear_health_status',
  'clone',
  'convert_to_ticket',
  'copy_metadata',
  'create_merge_request',
  'done',
  'draft',
  'duplicate',
  'health_status',
  'invite_email',
  'iteration',
  'link',
  'merge',
  'move',
  'page',
  'promote',
  'promote_to',
  'promote_to_incident',
  'publish',
  'ready',
  'reassign_reviewer',
  'rebase',
  'relate',
  'remove_child',
  'remove_contacts',
  'remove_email',
  'remove_iteration',
  'remove_parent',
  'remove_reviewer',
  'remove_zoom',
  'request_changes',
  'request_review',
  'reviewer',
  'set_parent',
  'severity',
  'ship',
  'shrug',
  'submit_review',
  'tableflip',
  'tag',
  'target_branch',
  'timeline',
  'todo',
  'type',
  'unapprove',
  'unassign_reviewer',
  'unlink',
  'zoom',
] as const

/** Says so, instead of letting a command become a comment that everybody reads. */
const notYet = (name: string): QuickAction => ({
  does: 'Not available yet.',
  run: () => refused(`/${name} is not available yet.`),
})

/** The same for commands of other things than the one that the note is on. */
const elsewhere = (name: string, where: string): QuickAction => ({
  does: `Only for ${where}.`,
  run: () => refused(`/${name} is only for ${where}.`),
})

/** The commands that some noteables have, besides those of others and those that nothing has yet. */
function recognized(own: ActionTable, other: ActionTable, where: string): ActionTable {
  const foreign = Object.keys(other).filter((name) => !(name in own))
  return {
    ...Object.fromEntries(later.map((name) => [name, notYet(name)])),
    ...Object.fromEntries(foreign.map((name) => [name, elsewhere(name, where)])),
    ...own,
  }
}

/** All commands that are recognized in notes of issues. */
export const quickActions = recognized(issueActions, epicActions, 'epics')

/** The same for epics. */
export const quickActionsOfEpics = recognized(epicActions, issueActions, 'issues')
