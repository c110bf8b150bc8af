import type { Tx } from '#platform/db/transaction.ts'
import { invalid } from '#platform/refusals.ts'
import { keepOwn } from './keep-own.ts'
import { type availabilities, type Status, statusOf } from './profile.ts'
import type { UserRow } from './queries.ts'

const HOUR = 3_600_000

/** How long a status may last, in milliseconds. */
const durations = {
  '30_minutes': HOUR / 2,
  '3_hours': 3 * HOUR,
  '8_hours': 8 * HOUR,
  '1_day': 24 * HOUR,
  '3_days': 72 * HOUR,
  '7_days': 168 * HOUR,
  '30_days': 720 * HOUR,
}
type Clearing = keyof typeof durations
const isClearing = (name: string): name is Clearing => Object.hasOwn(durations, name)
export const clearings: readonly Clearing[] = Object.keys(durations).filter(isClearing)

export interface NewStatus {
  readonly emoji?: string | null
  readonly message?: string | null
  readonly availability?: (typeof availabilities)[number] | null
  readonly clear_status_after?: Clearing | null
}

/** The emoji of a message without one. */
const STANDARD = 'speech_balloon'

/**
 * Sets a user's status. With `keep`, absent values stay (PATCH); otherwise they are cleared (PUT).
 * @throws 400 for an unknown emoji.
 */
export async function setStatus(
  tx: Tx,
  user: Pick<UserRow, 'id' | 'status'>,
  given: NewStatus,
  keep: boolean,
): Promise<Status> {
  const old = keep ? statusOf(user.status) : {}
  const message = blankAsNull(given.message === undefined ? old.message : given.message)
  const emoji = blankAsNull(given.emoji === undefined ? old.emoji : given.emoji)
  if (emoji !== null && !/^[\w+-]+$/.test(emoji)) throw invalid({ emoji: ['is not a valid emoji name'] })
  const availability = given.availability === undefined ? old.availability : given.availability
  const status: Status = {
    emoji: emoji ?? (message === null ? null : STANDARD),
    message,
    availability: availability ?? 'not_set',
    clear_status_at: clearingOf(tx.now, given.clear_status_after, old.clear_status_at),
  }
  await keepOwn(tx, user.id, { status: JSON.stringify(status) })
  return status
}

function clearingOf(now: string, after: Clearing | null | undefined, old: string | null | undefined) {
  if (after === undefined || after === null) return after === undefined ? (old ?? null) : null
  return new Date(Date.parse(now) + durations[after]).toISOString()
}

function blankAsNull(value: string | null | undefined): string | null {
  return value === undefined || value === '' ? null : value
}
