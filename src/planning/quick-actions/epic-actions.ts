import type { Draft, ItemReference } from './draft.ts'
import { shortened } from './names.ts'
import {
  type ActionTable,
  type CommandContext,
  done,
  type Known,
  type CommandOutcome,
  commandFailed,
} from './quick-action.ts'
import { sharedActions } from './shared-actions.ts'

type Run = (draft: Draft, args: string, around: CommandContext) => CommandOutcome

/** The commands in the notes of an epic; docs/guides/epics.md shows the same table. */
export const epicActions = {
  ...sharedActions('epic', 'group'),
  child_epic: {
    aliases: ['add_child'],
    takes: '&12, or group&12',
    does: 'Puts an epic below this one.',
    changes: 'add_child_epic_ids',
    names: 'epic',
    makes: 'child',
    run: addChild,
  },
  remove_child_epic: {
    aliases: ['remove_child'],
    takes: '&12, or group&12',
    does: 'Takes an epic out of this one.',
    changes: 'remove_child_epic_ids',
    names: 'epic',
    makes: 'no child',
    run: removeChild,
  },
  parent_epic: {
    aliases: ['set_parent'],
    takes: '&12, or group&12',
    does: 'Puts this epic below another one.',
    changes: 'parent_id',
    names: 'epic',
    makes: 'parent',
    run: setEpic('/parent_epic', 'Added this epic to'),
  },
  remove_parent_epic: {
    aliases: ['remove_parent'],
    does: 'Takes this epic out of the one above it.',
    changes: 'parent_id',
    run: removeEpic('This epic has no parent epic.', 'Removed the parent epic.'),
  },
} as const satisfies ActionTable

/** Puts the noteable into the named epic. */
export function setEpic(command: string, says: string): Run {
  return ({ epicId }, args, { known, noun }) =>
    withEpic(command, args, known, (epic) =>
      epic.id === epicId
        ? commandFailed(`This ${noun} is in ${epic.reference} already.`)
        : done(`${says} ${epic.reference}.`, { epicId: epic.id }),
    )
}

/** Takes the noteable out of its epic. */
export function removeEpic(says: string, removed: string): Run {
  return ({ epicId }) => (epicId === null ? commandFailed(says) : done(removed, { epicId: null }))
}

function addChild(
  { childrenAdded, childrenRemoved }: Draft,
  args: string,
  { known }: CommandContext,
): CommandOutcome {
  return withEpic('/child_epic', args, known, (epic) =>
    done(`Added ${epic.reference} as a child epic.`, {
      childrenAdded: [...without(childrenAdded, epic), epic],
      childrenRemoved: without(childrenRemoved, epic),
    }),
  )
}

function removeChild(
  { childrenAdded, childrenRemoved }: Draft,
  args: string,
  { known }: CommandContext,
): CommandOutcome {
  return withEpic('/remove_child_epic', args, known, (epic) =>
    done(`Removed the child epic ${epic.reference}.`, {
      childrenAdded: without(childrenAdded, epic),
      childrenRemoved: [...without(childrenRemoved, epic), epic],
    }),
  )
}

const without = (all: readonly ItemReference[], { id }: ItemReference) => all.filter((one) => one.id !== id)

/** Does something with the named epic, if there is one. */
function withEpic(
  command: string,
  args: string,
  { epics }: Known,
  use: (epic: ItemReference) => CommandOutcome,
): CommandOutcome {
  if (args === '') return commandFailed(`${command} needs an epic.`)
  const epic = epics.get(args)
  return epic === undefined ? commandFailed(`There is no epic ${shortened(args)} here.`) : use(epic)
}
