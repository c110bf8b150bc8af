import { MAX_INT4 } from '#platform/http/schema.ts'
import type { Draft } from './draft.ts'
import { milestoneIn, milestoneReference, shortened } from './names.ts'
import { assign, reassign, unassign } from './people-actions.ts'
import {
  type ChangingAction,
  type CommandContext,
  done,
  type CommandOutcome,
  commandFailed,
} from './quick-action.ts'
import { readDueDate } from './read-due-date.ts'
import { timeActions } from './time-actions.ts'
import { sharedActions } from './shared-actions.ts'
import { relationActions } from './relation-actions.ts'
import { removeEpic, setEpic } from './epic-actions.ts'

const shared = sharedActions('issue', 'project')

/** The commands in the notes of an issue; docs/guides/quick-actions.md shows the same table. */
export const issueActions: Readonly<Record<string, ChangingAction>> = {
  close: shared.close,
  reopen: shared.reopen,
  title: shared.title,
  assign: {
    takes: '@alice @bob, or me',
    does: 'Assigns more people to the issue. If one of them cannot read the project, it assigns nobody.',
    changes: 'assignee_ids',
    names: 'people',
    run: assign,
  },
  unassign: {
    takes: '@alice @bob, me, or nothing',
    does: 'Unassigns these people, or everybody.',
    changes: 'assignee_ids',
    run: unassign,
  },
  reassign: {
    takes: '@alice @bob, or me',
    does: 'Replaces the assignees by these people.',
    changes: 'assignee_ids',
    names: 'people',
    run: reassign,
  },
  label: shared.label,
  unlabel: shared.unlabel,
  relabel: shared.relabel,
  milestone: {
    takes: '%"next release", or %1',
    does: 'Sets a milestone of the project or of a group above it, by title or number.',
    changes: 'milestone_id',
    names: 'milestone',
    run: setMilestone,
  },
  remove_milestone: {
    does: 'Removes the milestone.',
    changes: 'milestone_id',
    run: ({ milestone }) =>
      milestone === null
        ? commandFailed('This issue has no milestone.')
        : done('Removed the milestone.', { milestone: null }),
  },
  due: {
    takes: '2026-12-01, today, tomorrow, or in 3 days (weeks, months)',
    does: 'Sets the due date.',
    changes: 'due_date',
    run: setDueDate,
  },
  remove_due_date: {
    does: 'Removes the due date.',
    changes: 'due_date',
    run: ({ dueDate }) =>
      dueDate === null
        ? commandFailed('This issue has no due date.')
        : done('Removed the due date.', { dueDate: null }),
  },
  weight: {
    takes: '3',
    does: 'Sets the weight, a whole number from 0.',
    changes: 'weight',
    run: setWeight,
  },
  clear_weight: {
    does: 'Removes the weight.',
    changes: 'weight',
    run: ({ weight }) =>
      weight === null
        ? commandFailed('This issue has no weight.')
        : done('Removed the weight.', { weight: null }),
  },
  epic: {
    takes: '&12, or group&12',
    does: 'Puts the issue into an epic.',
    changes: 'epic_id',
    names: 'epic',
    makes: 'epic',
    run: setEpic('/epic', 'Added this issue to'),
  },
  remove_epic: {
    does: 'Takes the issue out of its epic.',
    changes: 'epic_id',
    run: removeEpic('This issue is in no epic.', 'Removed this issue from its epic.'),
  },
  ...relationActions,
  confidential: shared.confidential,
  ...timeActions,
  award: shared.award,
  lock: {
    does: 'Locks the discussion: only members can comment.',
    changes: 'discussion_locked',
    run: ({ locked }) =>
      locked
        ? commandFailed('The discussion is locked already.')
        : done('Locked the discussion.', { locked: true }),
  },
  unlock: {
    does: 'Unlocks the discussion.',
    changes: 'discussion_locked',
    run: ({ locked }) =>
      locked
        ? done('Unlocked the discussion.', { locked: false })
        : commandFailed('The discussion is not locked.'),
  },
  todo: shared.todo,
  done: shared.done,
  subscribe: shared.subscribe,
  unsubscribe: shared.unsubscribe,
}

function setMilestone(_: Draft, args: string, { known }: CommandContext): CommandOutcome {
  const [written] = milestoneIn(args)
  if (written === undefined) return commandFailed('/milestone needs a milestone.')
  const milestone = known.milestones.get(written)
  if (milestone === undefined) return commandFailed(`There is no milestone ${shortened(written)} here.`)
  return done(`Set the milestone to ${milestoneReference(milestone.title)}.`, { milestone })
}

function setDueDate(_: Draft, args: string, { today }: CommandContext): CommandOutcome {
  if (args === '') return commandFailed('/due needs a date.')
  const dueDate = readDueDate(args, today)
  if (dueDate === undefined)
    return commandFailed(`“${shortened(args)}” is no date: write 2026-12-01, today, tomorrow or in 3 days.`)
  return done(`Set the due date to ${dueDate}.`, { dueDate })
}

function setWeight(_: Draft, args: string): CommandOutcome {
  const weight = /^\d{1,10}$/.test(args) ? Number(args) : Infinity
  if (weight > MAX_INT4) return commandFailed(`A weight is a whole number from 0 to ${MAX_INT4}.`)
  return done(`Set the weight to ${weight}.`, { weight })
}
