import type { CommandsChanges } from './entity.ts'
import type { Draft, Label, Milestone, Person } from './draft.ts'

/** What a line that begins with `/` and a name asks for. */
export interface QuickAction {
  readonly aliases?: readonly string[]
  /** What follows the name, as the guide shows it. */
  readonly takes?: string
  /** What it does, as the guide says it. */
  readonly does: string
  /** Who may change this may use it; everybody, where nothing is named. */
  readonly changes?: Exclude<keyof CommandsChanges, 'subscription_event'> | 'subscribed'
  /** What is named in the arguments, to be looked up before. */
  readonly names?: 'people' | 'labels' | 'milestone'
  readonly run: (draft: Draft, args: string, around: CommandContext) => Outcome
}

export type ActionTable = Readonly<Record<string, QuickAction>>

/** What an action knows besides the issue. */
export interface CommandContext {
  /** The username of whoever writes. */
  readonly me: string
  readonly today: string
  readonly known: Known
}

/** What the commands of a note name, as far as there is such a thing. */
export interface Known {
  /** By username in lower case: those who may read the project. */
  readonly people: ReadonlyMap<string, Person>
  /** By reference: `~bug`. */
  readonly labels: ReadonlyMap<string, Label>
  /** By reference: `%"next release"`. */
  readonly milestones: ReadonlyMap<string, Milestone>
}

/** What came of a command, told in a sentence; without `becomes` it could not be done. */
export interface Outcome {
  readonly says: string
  readonly becomes?: Partial<Draft>
}

export const refused = (says: string): Outcome => ({ says })
export const done = (says: string, becomes: Partial<Draft> = {}): Outcome => ({ says, becomes })

/** All that can stand behind `/`, each with the action's own name. */
export function namesOf(actions: ActionTable): ReadonlyMap<string, string> {
  const pairs = Object.entries(actions).flatMap(([name, { aliases = [] }]) =>
    [name, ...aliases].map((one) => [one, name] as const),
  )
  return new Map(pairs)
}
