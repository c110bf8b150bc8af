import { storedEmojiName, emojiOnly } from '#planning/award-emoji/emoji.ts'
import { longerThan } from '#platform/http/scalars.ts'
import type { Draft } from './draft.ts'
import { shortened } from './names.ts'
import { addLabels, removeLabels, replaceLabels } from './label-actions.ts'
import { type ChangingAction, done, type CommandOutcome, commandFailed } from './quick-action.ts'

/** The commands that issues and epics have in common. */
export const sharedActions = (noun: string, container: 'project' | 'group') =>
  ({
    close: {
      does: `Closes the ${noun}.`,
      changes: 'state_event',
      run: ({ state }) =>
        state === 'closed'
          ? commandFailed(`This ${noun} is closed already.`)
          : done(`Closed this ${noun}.`, { state: 'closed' }),
    },
    reopen: {
      does: `Reopens the ${noun}.`,
      changes: 'state_event',
      run: ({ state }) =>
        state === 'opened'
          ? commandFailed(`This ${noun} is open already.`)
          : done(`Reopened this ${noun}.`, { state: 'opened' }),
    },
    title: {
      takes: 'text',
      does: 'Changes the title.',
      changes: 'title',
      run: retitle,
    },
    label: {
      aliases: ['labels'],
      takes: '~bug ~"to do"',
      does: `Adds existing labels of the ${container} or of a group above it. You can leave out \`~\`.`,
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
    confidential: {
      does: `Makes the ${noun} confidential.`,
      changes: 'confidential',
      run: ({ confidential }) =>
        confidential
          ? commandFailed(`This ${noun} is confidential already.`)
          : done(`Made this ${noun} confidential.`, { confidential: true }),
    },
    award: {
      aliases: ['react'],
      takes: ':thumbsup:',
      does: 'Gives a reaction, or takes it back.',
      changes: 'emoji_award',
      run: react,
    },
    todo: {
      does: `Puts the ${noun} on your to-do list.`,
      changes: 'subscribed',
      run: () => done('Added a to-do.', { todo: 'add' }),
    },
    done: {
      does: `Marks your to-do about the ${noun} as done.`,
      changes: 'subscribed',
      run: () => done('Marked the to-do as done.', { todo: 'done' }),
    },
    subscribe: {
      does: `Subscribes you to the ${noun}.`,
      changes: 'subscribed',
      run: ({ subscribed }) =>
        subscribed
          ? commandFailed(`You are subscribed to this ${noun} already.`)
          : done(`Subscribed you to this ${noun}.`, { subscribed: true }),
    },
    unsubscribe: {
      does: `Unsubscribes you from the ${noun}.`,
      changes: 'subscribed',
      run: ({ subscribed }) =>
        subscribed
          ? done(`Unsubscribed you from this ${noun}.`, { subscribed: false })
          : commandFailed(`You are not subscribed to this ${noun}.`),
    },
  }) as const satisfies Readonly<Record<string, ChangingAction>>

/** The maximum length of titles. */
const MAX_TITLE = 255

function retitle(_: Draft, title: string): CommandOutcome {
  if (title === '') return commandFailed('/title needs a title.')
  if (longerThan(title, MAX_TITLE)) return commandFailed(`A title has at most ${MAX_TITLE} characters.`)
  return done(`Changed the title to “${title}”.`, { title })
}

function react({ reactions }: Draft, args: string): CommandOutcome {
  const name = storedEmojiName(args.replace(/^:(.*):$/, '$1')) ?? emojiOnly(args)
  if (name === undefined) return commandFailed(`“${shortened(args)}” is no emoji.`)
  const others = reactions.filter((one) => one !== name)
  const twice = others.length < reactions.length
  return done(`Toggled :${name}:.`, { reactions: twice ? others : [...reactions, name] })
}
