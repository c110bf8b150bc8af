import type { FastifyRequest } from 'fastify'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import type { Caller, WritingCaller } from '#planning/noteables/containers.ts'
import type { NoteableKind, QuickActions } from '#planning/noteables/kind.ts'
import type { Command } from '#planning/quick-actions/parse-quick-actions.ts'
import { SubmittedDescription } from '#planning/quick-actions/submitted-description.ts'
import { checkForSpam, isChecked } from '#planning/spam/check-for-spam.ts'
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

/** An item that is about to be changed. */
interface ChangedItem extends ItemIdentity {
  readonly title: string
  readonly description: string | null
  readonly updated_at: string
}

/** How requests change items of a kind. A kind may lock a narrower row than the one that it answers with. */
export interface ItemChanging<
  Place extends ItemPlace,
  Asked,
  Changes,
  Row extends Locked,
  Locked extends ChangedItem = Row,
> {
  readonly kind: NoteableKind
  /** Whether texts of people without a role are checked for spam (docs/decisions/0027-spam-checks.md). */
  readonly spam?: true
  /** Looks up and locks the rows that a request names, in the order of docs/decisions/0014-write-protocol.md. */
  readonly resolve: (tx: Tx, place: Place, asked: Asked) => Promise<Changes>
  readonly find: (on: Db | Tx['db'], place: Place, key: ItemKey) => Promise<Row>
  /** @param commands those in the new description, which may ask for a stronger lock. */
  readonly lock: (
    tx: Tx,
    place: Place,
    key: ItemKey,
    changing: { readonly asked: Asked; readonly commands: readonly Command[] },
  ) => Promise<Locked>
  /** @throws 403 for a caller who may change nothing of the item */
  readonly assertMayChange?: (place: Place, row: Locked) => void
  /** Writes the changes that differ from the item, and records each. */
  readonly update: (tx: Tx, place: Place, row: Locked, changes: Changes) => Promise<unknown>
  /** Further steps, after the mentions of a new text are recorded: for example records the issues that it closes. */
  readonly followText?: (tx: Tx, place: Place, row: Locked, text: string) => Promise<void>
  readonly keyOf: (row: Locked) => ItemKey
}

/** What is special about a change. */
interface ChangeOptions {
  /** The commands, if they know more than those of the kind. */
  readonly actions?: QuickActions | undefined
  /** Whether this request has begun the change, by a commit. Then it has checked the precondition, which fails now. */
  readonly begun?: boolean
}

/**
 * Changes an item as a request asks for, and does what the commands in a new description say.
 * @returns the item afterwards, as the caller sees it
 * @throws 404, 403, 412 for a precondition that fails, and what the kind refuses
 */
export async function changeItem<
  Place extends ItemPlace & { readonly caller: Caller },
  Asked extends ItemText,
  Changes extends ItemText,
  Row extends Locked,
  Locked extends ChangedItem,
>(
  req: FastifyRequest,
  changing: ItemChanging<Place, Asked, Changes, Row, Locked>,
  place: Place,
  key: ItemKey,
  asked: Asked,
  { actions = changing.kind.quickActions, begun = false }: ChangeOptions = {},
): Promise<Row> {
  await checkChange(req, changing, place, key, asked)
  const assertFresh = (row: Locked) => {
    if (!begun) assertUnmodified(req, row.updated_at)
  }
  return changeAskedItem(req, changing, place, key, asked, { actions, assertFresh })
}

interface AskedChangeOptions<Locked> {
  readonly actions: QuickActions | undefined
  /** Refuses the change of a row, which is locked, that is not as the caller has seen it. */
  readonly assertFresh?: (row: Locked) => void
}

/** The same for a change that is not, or no more, to be checked for spam. */
export async function changeAskedItem<
  Place extends ItemPlace & { readonly caller: Caller },
  Asked extends ItemText,
  Changes extends ItemText,
  Row extends Locked,
  Locked extends ChangedItem,
>(
  writer: WritingCaller,
  changing: ItemChanging<Place, Asked, Changes, Row, Locked>,
  place: Place,
  key: ItemKey,
  asked: Asked,
  { actions, assertFresh }: AskedChangeOptions<Locked>,
): Promise<Row> {
  const { kind, resolve, lock, assertMayChange, update, followText, keyOf, find } = changing
  const { caller } = place
  const submitted = new SubmittedDescription(asked.description, actions)
  const change = async (tx: Tx) => {
    await submitted.lockNamed(tx, caller, commandKey(key))
    const resolved = await resolve(tx, place, asked)
    await lockTextOf(tx, place, wholeText(asked))
    const row = await lock(tx, place, key, { asked, commands: submitted.commands })
    assertMayChange?.(place, row)
    assertFresh?.(row)
    const isAsBefore = submitted.isThatOf(row)
    const changes = isAsBefore ? resolved : submitted.textIn(resolved)
    await update(tx, place, row, changes)
    if (says(changes)) {
      const { title = row.title, description = row.description } = changes
      const text = wholeText({ title, description })
      await recordTextOf(tx, place, mentioning(kind, row), text, true)
      await followText?.(tx, place, row, text)
    }
    if (!isAsBefore) await submitted.obey(tx, caller, commandKey(keyOf(row)))
    return keyOf(row)
  }
  return writer.write(change, (tx, key) => find(tx.db, place, key))
}

/** Whether a change is about the text. */
const says = ({ title, description }: ItemText): boolean => title !== undefined || description !== undefined

/**
 * Asks whether a changed text is spam. Nobody waits for another server in a transaction, so the rights are looked at before,
 * too.
 */
async function checkChange<
  Place extends ItemPlace,
  Asked extends ItemText,
  Changes,
  Row extends Locked,
  Locked extends ChangedItem,
>(
  req: FastifyRequest,
  { kind: { noun, type }, spam, find, assertMayChange }: ItemChanging<Place, Asked, Changes, Row, Locked>,
  place: Place,
  key: ItemKey,
  asked: Asked,
): Promise<void> {
  if (!spam || !isChecked(req) || !says(asked)) return
  const row = await find(req.server.db, place, key)
  assertMayChange?.(place, row)
  const { title = row.title, description = row.description } = asked
  await checkForSpam(req, { noun, type, title, text: description ?? '' })
}
