import { MAX_NAMES, readNames } from './names.ts'
import type { Command } from './parse-quick-actions.ts'
import type { ActionTable, QuickAction } from './quick-action.ts'

/** A command with what it needs. */
export interface Step {
  readonly action: QuickAction
  readonly args: string
  /** The names to look up: usernames, or references. */
  readonly names: readonly string[]
  /** Why it is not even tried. */
  readonly refusal?: string
}

/** Commands after these are ignored. */
export const MAX_COMMANDS = 100
const MAX_ARGS = 2_000
/** The most epics, issues and projects: whether each may be where it is wanted takes a statement. */
const MAX_PLACED = 10

/**
 * Decides which commands may be tried.
 * @param me the username of the writer.
 */
export function stepsOf(
  actions: ActionTable,
  commands: readonly Command[],
  me: string,
  may: (action: QuickAction) => boolean,
): Step[] {
  let left = MAX_NAMES
  let placedLeft = MAX_PLACED
  return commands.slice(0, MAX_COMMANDS).flatMap(({ name, args }) => {
    const action = actions[name]
    if (action === undefined) return []
    const refuse = (refusal: string) => [{ action, args, names: [], refusal }]
    if (!may(action)) return refuse(`You may not use /${name} here.`)
    if (args.length > MAX_ARGS) return refuse(`/${name} takes at most ${MAX_ARGS} characters.`)
    const names = namesIn(action, args, me)
    if (names.length > left)
      return refuse(`All commands of a note name at most ${MAX_NAMES} people, labels and milestones.`)
    if (costly.has(action.names) && (placedLeft -= names.length) < 0)
      return refuse(`All commands of a note name at most ${MAX_PLACED} epics, issues and projects.`)
    left -= names.length
    return [{ action, args, names }]
  })
}

const namesIn = ({ names }: QuickAction, args: string, me: string): string[] =>
  names === undefined ? [] : readNames[names](args, me)

/** Kinds of names that cost a statement each. */
const costly: ReadonlySet<QuickAction['names']> = new Set(['epic', 'issues', 'project'])
