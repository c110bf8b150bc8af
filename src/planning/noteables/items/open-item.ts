import type { FastifyRequest } from 'fastify'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Caller, WritingCaller } from '#planning/noteables/containers.ts'
import type { NoteableKind, QuickActions } from '#planning/noteables/kind.ts'
import { SubmittedDescription } from '#planning/quick-actions/submitted-description.ts'
import { checkForSpam } from '#planning/spam/check-for-spam.ts'
import {
  commandKey,
  type ItemIdentity,
  type ItemKey,
  type ItemPlace,
  type ItemText,
  lockTextOf,
  mentioning,
  recordTextOf,
  wholeText,
} from './item-text.ts'

/** The text of a new item, which has a title. */
type NewText = ItemText & { readonly title: string }

/** Writes an item whose references have been looked up. */
export interface ItemInsertion<Place extends ItemPlace, Values, Made extends ItemIdentity> {
  readonly kind: NoteableKind
  /** Writes the item and what belongs to it. Everything that it refers to is locked. */
  readonly insert: (tx: Tx, place: Place, values: Values) => Promise<Made>
  /** Further steps, after the mentions of the item are recorded: puts it into its epic, or records the issues that it closes. */
  readonly follow?: (tx: Tx, place: Place, made: Made, values: Values) => Promise<void>
}

/** How requests open items of a kind. */
export interface ItemOpening<
  Place extends ItemPlace,
  Asked,
  Values,
  Made extends ItemIdentity,
  Row,
> extends ItemInsertion<Place, Values, Made> {
  /** Whether texts of people without a role are checked for spam (docs/decisions/0027-spam-checks.md). */
  readonly spam?: true
  /** Looks up and locks the rows that a request names, in the order of docs/decisions/0014-write-protocol.md. */
  readonly resolve: (tx: Tx, place: Place, asked: Asked) => Promise<Values>
  readonly keyOf: (made: Made) => ItemKey
  readonly find: (on: Db | Tx['db'], place: Place, key: ItemKey) => Promise<Row>
}

/**
 * Opens an item as the transaction's author: locks what its text mentions, writes it, and records the mentions.
 * @param values all rows that they refer to are locked.
 */
export async function openItem<Place extends ItemPlace, Values extends NewText, Made extends ItemIdentity>(
  tx: Tx,
  { kind, insert, follow }: ItemInsertion<Place, Values, Made>,
  place: Place,
  values: Values,
): Promise<Made> {
  const text = wholeText(values)
  await lockTextOf(tx, place, text)
  const made = await insert(tx, place, values)
  await recordTextOf(tx, place, mentioning(kind, made), text)
  await follow?.(tx, place, made, values)
  return made
}

/**
 * Opens the item that a request describes, and applies the commands in its description.
 * @param actions the commands, if they know more than those of the kind.
 * @returns the item as its author sees it
 */
export async function openRequestedItem<
  Place extends ItemPlace & { readonly caller: Caller },
  Asked extends NewText,
  Values extends NewText,
  Made extends ItemIdentity,
  Row,
>(
  req: FastifyRequest,
  opening: ItemOpening<Place, Asked, Values, Made, Row>,
  place: Place,
  asked: Asked,
  actions: QuickActions | undefined = opening.kind.quickActions,
): Promise<Row> {
  const { noun, type } = opening.kind
  if (opening.spam) await checkForSpam(req, { noun, type, title: asked.title, text: asked.description ?? '' })
  return openAskedItem(req, opening, place, asked, actions)
}

/** The same for an item that is not, or no more, to be checked for spam. */
export async function openAskedItem<
  Place extends ItemPlace & { readonly caller: Caller },
  Asked extends NewText,
  Values extends NewText,
  Made extends ItemIdentity,
  Row,
>(
  writer: WritingCaller,
  opening: ItemOpening<Place, Asked, Values, Made, Row>,
  place: Place,
  asked: Asked,
  actions: QuickActions | undefined,
): Promise<Row> {
  const { resolve, keyOf, find } = opening
  const submitted = new SubmittedDescription(asked.description, actions)
  const open = async (tx: Tx) => {
    await submitted.lockNamed(tx, place.caller)
    const values = await resolve(tx, place, submitted.textIn(asked))
    const key = keyOf(await openItem(tx, opening, place, values))
    await submitted.obey(tx, place.caller, commandKey(key))
    return key
  }
  return writer.write(open, (tx, key) => find(tx.db, place, key))
}
