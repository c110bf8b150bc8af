import type { Clock } from '#platform/context.ts'
import type { Listener } from '#platform/db/listener.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Watched, watch } from '#platform/db/watched.ts'
import type { BroadcastMessageRow } from './entity.ts'
import { broadcastMessages } from './queries.ts'

/** The channel that announces changes. */
export const BROADCASTS_CHANNEL = 'forgelet_broadcast_messages'

/** Messages that each process keeps in memory: those that end last. */
const MOST_KEPT = 100

/** The messages that have not ended, as this process knows them: the newest first. */
export type BroadcastMessagesView = Watched<readonly BroadcastMessageRow[]>

/** Reads the messages and keeps them up to date, also when other processes change them: pages ask for none of them. */
export function openBroadcastMessages(options: {
  readonly db: Db
  readonly clock: Clock
  readonly listener: Listener
  readonly onError: (error: unknown) => void
}): Promise<BroadcastMessagesView> {
  const { db, clock, ...rest } = options
  const read = async () => {
    const rows = await broadcastMessages(db)
      .where('b.ends_at', '>', clock.now().toISOString())
      .orderBy('b.ends_at', 'desc')
      .orderBy('b.id', 'desc')
      .limit(MOST_KEPT)
      .execute()
    return rows.toSorted((a, b) => b.id - a.id)
  }
  return watch({ ...rest, channel: BROADCASTS_CHANNEL, read })
}
