import type { Tx } from '#platform/db/transaction.ts'
import type { Caller } from '#planning/noteables/containers.ts'
import type { NoteableKey, QuickActions } from '#planning/noteables/kind.ts'
import { type Command, parseQuickActions } from './parse-quick-actions.ts'

/** A description that somebody sends with something new or with a change, which may have commands as notes do. */
export class SubmittedDescription {
  readonly commands: readonly Command[]
  readonly #asked: string | null | undefined
  readonly #text: string | null | undefined
  readonly #actions: QuickActions | undefined

  /** @param actions undefined where commands stay text. */
  constructor(asked: string | null | undefined, actions: QuickActions | undefined) {
    const { commands, text } = parseQuickActions(asked ?? '', actions?.actions ?? {})
    this.commands = commands
    this.#asked = asked
    this.#text = commands.length === 0 ? asked : text
    this.#actions = actions
  }

  /**
   * What is stored: the text without its commands.
   * @param changes among them the description as it was sent, if it was.
   */
  textIn<Changes extends { readonly description?: string | null }>(changes: Changes): Changes {
    const text = this.#text
    return changes.description === undefined || text === undefined
      ? changes
      : { ...changes, description: text }
  }

  /** Locks what the commands name. Whoever locks more than that does it afterwards. */
  async lockNamed(tx: Tx, caller: Caller, key?: NoteableKey): Promise<void> {
    if (this.commands.length > 0) await this.#actions?.lockNamed(tx, caller, this.commands, key)
  }

  /** Whether this is the description of before. Clients send whole objects back, so its commands do not count then. */
  isThatOf(before: { readonly description: string | null }): boolean {
    return this.#asked === before.description
  }

  /**
   * Does what the commands say, as the transaction's author; what they may not do or what is impossible is left out.
   * @returns whether there were any.
   */
  async obey(tx: Tx, caller: Caller, key: NoteableKey | undefined): Promise<boolean> {
    if (this.commands.length === 0 || this.#actions === undefined || key === undefined) return false
    await this.#actions.apply(tx, caller, key, this.commands)
    return true
  }
}
