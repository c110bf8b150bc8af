import type { NoteableKey, NoteableKind } from '../kind.ts'
import { lockMentioned, type NoteableText, recordMentions, type Writer } from '../record-mentions.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** The title and the description of an item. A change leaves out those that it keeps. */
export interface ItemText {
  readonly title?: string
  readonly description?: string | null
}

/** The project or group in which an item is written, and its writer. */
export interface ItemPlace {
  /** The writer: their rights decide which references in the text count. */
  readonly caller: Writer
  /** The project or group. Undefined for items of persons: their texts mention nobody. */
  readonly container: NoteableText['namespace'] | undefined
}

/** The id and the number of an item. */
export interface ItemIdentity {
  readonly id: number
  /** Null where items have no numbers. */
  readonly iid: number | null
}

/** An item's key: as paths and commands of its kind name it, or explicitly its number or its id. */
export type ItemKey = number | { readonly iid: number } | { readonly id: number }

/** The key by which commands name an item; undefined when only its number is known and commands name such items by id. */
export const commandKey = (key: ItemKey): NoteableKey | undefined =>
  typeof key === 'number' ? key : 'id' in key ? key.id : undefined

/** Title and description as one text, in which references are found. */
export const wholeText = ({ title = '', description }: ItemText): string => `${title}\n\n${description ?? ''}`

/** An item, or whatever else people write notes on, as the source of mentions. */
export const mentioning = (
  kind: Pick<NoteableKind, 'noun' | 'reference' | 'separator'>,
  { id, iid, key = iid ?? id }: ItemIdentity & { readonly key?: NoteableKey },
): NoteableText['noteable'] => ({
  id,
  noun: kind.noun,
  reference: kind.reference({ iid, key }),
  ...(kind.separator !== undefined && { separator: kind.separator }),
})

/** Locks the rows that a text mentions, before the item itself (docs/decisions/0014-write-protocol.md). */
export async function lockTextOf(tx: Tx, { caller, container }: ItemPlace, text: string): Promise<void> {
  if (container !== undefined) await lockMentioned(tx, caller, container, [text])
}

/** Records what the text of an item mentions. @param changed whether it replaces an earlier text */
export async function recordTextOf(
  tx: Tx,
  { caller, container }: ItemPlace,
  noteable: NoteableText['noteable'],
  text: string,
  changed = false,
): Promise<void> {
  if (container === undefined) return
  await recordMentions(tx, caller, { noteable, namespace: container, noteId: null, changed }, text)
}
