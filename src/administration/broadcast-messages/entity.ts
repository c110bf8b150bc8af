import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import type { BroadcastMessages } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'

export const BroadcastMessage = entity('BroadcastMessage', {
  id: integer(),
  message: Type.String(),
  starts_at: moment(),
  ends_at: moment(),
  color: Type.String(),
  font: Type.String(),
  target_access_levels: Type.Array(Type.Integer()),
  target_path: nullable(Type.String()),
  broadcast_type: Type.String(),
  theme: Type.String(),
  dismissable: Type.Boolean(),
  active: Type.Boolean({ description: 'Whether it has started and has not ended.' }),
})

/** The columns of `broadcast_messages`. */
export const broadcastMessageColumns = [
  'id',
  'message',
  'starts_at',
  'ends_at',
  'color',
  'font',
  'target_access_levels',
  'target_path',
  'broadcast_type',
  'theme',
  'dismissable',
  'created_at',
  'updated_at',
] as const

export type BroadcastMessageRow = Selectable<BroadcastMessages>

export function presentBroadcastMessage(
  row: BroadcastMessageRow,
  now: Date,
): Static<typeof BroadcastMessage> {
  return {
    id: row.id,
    message: row.message,
    starts_at: iso(row.starts_at),
    ends_at: iso(row.ends_at),
    color: row.color,
    font: row.font,
    target_access_levels: row.target_access_levels,
    target_path: row.target_path,
    broadcast_type: row.broadcast_type,
    theme: row.theme,
    dismissable: row.dismissable,
    active: isActive(row, now),
  }
}

/** Whether a message has started and has not ended. */
export const isActive = (
  { starts_at, ends_at }: Pick<BroadcastMessageRow, 'starts_at' | 'ends_at'>,
  now: Date,
): boolean => Date.parse(iso(starts_at)) <= now.getTime() && now.getTime() < Date.parse(iso(ends_at))
