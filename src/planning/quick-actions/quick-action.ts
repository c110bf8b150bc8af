import type { CommandsChanges } from './entity.ts'
import type { readNames } from './names.ts'
import type { Draft, ItemReference, Label, Milestone, Person } from './draft.ts'

/** The action of a line that begins with `/` and its name. */
export interface QuickAction<D extends Draft = Draft> {
  readonly aliases?: readonly string[]
  /** Its arguments, as the guide shows them. */
  readonly takes?: string
  /** Its effect, as the guide describes it. */
  readonly does: string
  /** The right to change this field is the right to use the action; without it everybody may. */
  readonly changes?:
    | Exclude<
        keyof CommandsChanges,
        'subscription_event' | 'todo_event' | 'merge' | 'rebase' | 'review' | 'clone_with_notes'
      >
    | 'subscribed'
  /** The kind of names in the arguments, which are looked up first. */
  readonly names?: keyof typeof readNames
  /** How a named epic, issue or project will be related to the item; that must be possible. */
  readonly makes?: Role
  run(draft: D, args: string, around: CommandContext): CommandOutcome<D>
}

/** An action that needs a right. */
export type ChangingAction = QuickAction & Required<Pick<QuickAction, 'changes'>>

/** How an epic, an issue or a project will be related to an issue or an epic. */
export type Role =
  | 'epic'
  | 'parent'
  | 'child'
  | 'no child'
  | 'linked'
  | 'original'
  | 'new project'
  | 'project of a clone'

/** The actions of a kind, whose drafts may have fields of their own. */
export type ActionTable<D extends Draft = Draft> = Readonly<Record<string, QuickAction<D>>>

/** The context of an action, besides the noteable. */
export interface CommandContext {
  /** The username of the writer. */
  readonly me: string
  /** The noun of the noteable in sentences: `issue`. */
  readonly noun: string
  readonly today: string
  /** The project of an issue. */
  readonly project?: ItemReference | undefined
  readonly known: Known
}

/** The items that the commands of a note name, as far as they exist. */
export interface Known {
  /** Those who may read the project, by username or by the path of a group that they are members of, in lower case. */
  readonly people: ReadonlyMap<string, readonly Person[]>
  /** By reference: `~bug`. */
  readonly labels: ReadonlyMap<string, Label>
  /** By reference: `%"next release"`. */
  readonly milestones: ReadonlyMap<string, Milestone>
  /** By reference as it is written: `&12`, `group&12`. */
  readonly epics: ReadonlyMap<string, ItemReference>
  /** The same for issues: `#12`, `group/project#12`. */
  readonly issues: ReadonlyMap<string, ItemReference>
  /** By path as it is written. */
  readonly projects: ReadonlyMap<string, ItemReference>
}

/** The result of a command, with a sentence about it. Without `becomes`, the command failed. */
export interface CommandOutcome<D extends Draft = Draft> {
  readonly says: string
  readonly becomes?: Partial<D>
}

export const commandFailed = (says: string): { readonly says: string; readonly becomes?: never } => ({ says })
export const done = <D extends Draft = Draft>(says: string, becomes: Partial<D> = {}): CommandOutcome<D> => ({
  says,
  becomes,
})

/** All names that can follow `/`, each with the action's own name. */
export function namesOf(actions: ActionTable): ReadonlyMap<string, string> {
  const names = named.get(actions) ?? makeNames(actions)
  named.set(actions, names)
  return names
}

const named = new WeakMap<ActionTable, ReadonlyMap<string, string>>()

function makeNames(actions: ActionTable): ReadonlyMap<string, string> {
  const pairs = Object.entries(actions).flatMap(([name, { aliases = [] }]) =>
    [name, ...aliases].map((one) => [one, name] as const),
  )
  return new Map(pairs)
}
