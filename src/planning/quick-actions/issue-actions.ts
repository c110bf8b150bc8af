import { longerThan } from '#platform/http/scalars.ts'
import { MAX_INT4 } from '#platform/http/schema.ts'
import type { Draft } from './draft.ts'
import { addLabels, removeLabels, replaceLabels } from './label-actions.ts'
import { milestoneIn, milestoneNamed, shortened } from './names.ts'
import { assign, reassign, unassign } from './people-actions.ts'
import { type CommandContext, done, type Outcome, type QuickAction, refused } from './quick-action.ts'
import { readDueDate } from './read-due-date.ts'

/** The commands in the notes of an issue; docs/guides/quick-actions.md shows the same table. */
export const issueActions: Readonly<Record<string, QuickAction & Required<Pick<QuickAction, 'changes'>>>> = {
  close: {
    does: 'Closes the issue.',
    changes: 'state_event',
    run: ({ state }) =>
      state === 'closed'
        ? refused('This issue is closed already.')
        : done('Closed this issue.', { state: 'closed' }),
  },
  reopen: {
    does: 'Reopens the issue.',
    changes: 'state_event',
    run: ({ state }) =>
      state === 'opened'
        ? refused('This issue is open already.')
        : done('Reopened this issue.', { state: 'opened' }),
  },
  title: {
    takes: 'text',
    does: 'Changes the title.',
    changes: 'title',
    run: retitle,
  },
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
  label: {
    aliases: ['labels'],
    takes: '~bug ~"to do"',
    does: 'Adds existing labels of the project or of a group above it. You can leave out `~`.',
    changes: 'add_label_ids',
    names: 'labels',
    run: addLabels,
  },
  unlabel: {
    aliases: ['remove_label'],
    takes: '~bug ~"to do", or nothing',
    does: 'Removes these labels, or all.',
    changes: 'remove_label_ids',
    run: removeLabels,
  },
  relabel: {
    takes: '~bug ~"to do"',
    does: 'Replaces all labels by these.',
    changes: 'label_ids',
    names: 'labels',
    run: replaceLabels,
  },
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
        ? refused('This issue has no milestone.')
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
        ? refused('This issue has no due date.')
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
      weight === null ? refused('This issue has no weight.') : done('Removed the weight.', { weight: null }),
  },
  confidential: {
    does: 'Makes the issue confidential.',
    changes: 'confidential',
    run: ({ confidential }) =>
      confidential
        ? refused('This issue is confidential already.')
        : done('Made this issue confidential.', { confidential: true }),
  },
  lock: {
    does: 'Locks the discussion: only members can comment.',
    changes: 'discussion_locked',
    run: ({ locked }) =>
      locked
        ? refused('The discussion is locked already.')
        : done('Locked the discussion.', { locked: true }),
  },
  unlock: {
    does: 'Unlocks the discussion.',
    changes: 'discussion_locked',
    run: ({ locked }) =>
      locked ? done('Unlocked the discussion.', { locked: false }) : refused('The discussion is not locked.'),
  },
  subscribe: {
    does: 'Subscribes you to the issue.',
    changes: 'subscribed',
    run: ({ subscribed }) =>
      subscribed
        ? refused('You are subscribed to this issue already.')
        : done('Subscribed you to this issue.', { subscribed: true }),
  },
  unsubscribe: {
    does: 'Unsubscribes you from the issue.',
    changes: 'subscribed',
    run: ({ subscribed }) =>
      subscribed
        ? done('Unsubscribed you from this issue.', { subscribed: false })
        : refused('You are not subscribed to this issue.'),
  },
}

/** The maximum length of titles. */
const MAX_TITLE = 255

function retitle(_: Draft, title: string): Outcome {
  if (title === '') return refused('/title needs a title.')
  if (longerThan(title, MAX_TITLE)) return refused(`A title has at most ${MAX_TITLE} characters.`)
  return done(`Changed the title to “${title}”.`, { title })
}

function setMilestone(_: Draft, args: string, { known }: CommandContext): Outcome {
  const [written] = milestoneIn(args)
  if (written === undefined) return refused('/milestone needs a milestone.')
  const milestone = known.milestones.get(written)
  if (milestone === undefined) return refused(`There is no milestone ${shortened(written)} here.`)
  return done(`Set the milestone to ${milestoneNamed(milestone.title)}.`, { milestone })
}

function setDueDate(_: Draft, args: string, { today }: CommandContext): Outcome {
  if (args === '') return refused('/due needs a date.')
  const dueDate = readDueDate(args, today)
  if (dueDate === undefined)
    return refused(`“${shortened(args)}” is no date: write 2026-12-01, today, tomorrow or in 3 days.`)
  return done(`Set the due date to ${dueDate}.`, { dueDate })
}

function setWeight(_: Draft, args: string): Outcome {
  const weight = /^\d{1,10}$/.test(args) ? Number(args) : Infinity
  if (weight > MAX_INT4) return refused(`A weight is a whole number from 0 to ${MAX_INT4}.`)
  return done(`Set the weight to ${weight}.`, { weight })
}
