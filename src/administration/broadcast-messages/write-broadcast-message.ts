import type { Static } from 'typebox'
import { announce } from '#platform/db/watched.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { BROADCASTS_CHANNEL } from './current-messages.ts'
import { broadcastMessageColumns, type BroadcastMessageRow } from './entity.ts'
import type { BroadcastMessageChanges, NewBroadcastMessage } from './parameters.ts'

/** How long a message is shown that has no end of its own. */
const AN_HOUR = 3_600_000

/** Characters of a message that audit events name it by. */
const BEGINNING = 60

/** Makes a message, and tells every process of it. */
export async function createBroadcastMessage(
  tx: Tx,
  asked: Static<typeof NewBroadcastMessage>,
): Promise<BroadcastMessageRow> {
  const { target_path, ...wishes } = asked
  const made = await tx.db
    .insertInto('broadcast_messages')
    .values({
      starts_at: tx.now,
      ends_at: new Date(Date.parse(tx.now) + AN_HOUR).toISOString(),
      color: '#E75E40',
      font: '#FFFFFF',
      broadcast_type: 'banner',
      theme: 'indigo',
      ...wishes,
      target_path: pathOrNone(target_path),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(broadcastMessageColumns)
    .executeTakeFirstOrThrow()
  record(tx, { ...factOf(made), name: 'broadcast message created', details: { about: beginning(made) } })
  await announce(tx, BROADCASTS_CHANNEL)
  return made
}

/** Changes the given attributes and leaves the rest. */
export async function updateBroadcastMessage(
  tx: Tx,
  { id }: BroadcastMessageRow,
  { target_path, ...changes }: Static<typeof BroadcastMessageChanges>,
): Promise<BroadcastMessageRow> {
  const path = target_path === undefined ? {} : { target_path: pathOrNone(target_path) }
  const all = { ...changes, ...path }
  const changed = await tx.db
    .updateTable('broadcast_messages')
    .set({ ...all, updated_at: tx.now })
    .where('id', '=', id)
    .returning(broadcastMessageColumns)
    .executeTakeFirstOrThrow()
  const details = { about: beginning(changed), fields: Object.keys(all) }
  record(tx, { ...factOf(changed), name: 'broadcast message changed', details })
  await announce(tx, BROADCASTS_CHANNEL)
  return changed
}

export async function deleteBroadcastMessage(tx: Tx, message: BroadcastMessageRow): Promise<void> {
  await tx.db.deleteFrom('broadcast_messages').where('id', '=', message.id).execute()
  const details = { about: beginning(message) }
  record(tx, { ...factOf(message), name: 'broadcast message deleted', details })
  await announce(tx, BROADCASTS_CHANNEL)
}

const factOf = ({ id }: BroadcastMessageRow) => ({
  namespace: null,
  target: { type: 'BroadcastMessage', id },
})

const beginning = ({ message }: BroadcastMessageRow): string => message.slice(0, BEGINNING).toWellFormed()

/** A blank path is that of every page. */
const pathOrNone = (path: string | null | undefined): string | null => (path === '' ? null : (path ?? null))
