import type { ShareLimits } from '#platform/shares/shares.ts'
import { WORK } from '#platform/shares/work-budget.ts'

/**
 * What processes are for. Kinds do not wait for each other, so that slow clones keep nobody from reading a file.
 * `read` answers the API, `transfer` moves packs between server and client, `write` changes a repository, and `keep`
 * is housekeeping.
 */
export type Lane = 'read' | 'transfer' | 'write' | 'keep'

/**
 * The slots of each kind. Of those for transfers, which last as long as a client likes, one caller has a quarter, all
 * strangers together have half, and those at one address an eighth.
 */
export const lanes: Readonly<Record<Lane, ShareLimits>> = {
  read: { atOnce: 16, each: 8, anonymous: 12, waiting: 128, waitingInAll: 256, patience: 10_000 },
  transfer: {
    atOnce: 32,
    each: 8,
    eachAnonymous: 4,
    anonymous: 16,
    waiting: 32,
    waitingInAll: 128,
    patience: 20_000,
  },
  write: { atOnce: 16, each: 8, waiting: 128, waitingInAll: 256, patience: 30_000 },
  keep: { atOnce: 2, each: 1, waiting: 64, patience: 600_000 },
}

const GiB = 1024 * 1024 * 1024

/** Bytes of memory that a process may use which sets itself no other limit. */
export const USUAL_MEMORY = GiB

/** Bytes of memory of a process that reads for the API. A folder may claim to hold thousands of millions of files. */
export const READING_MEMORY = USUAL_MEMORY

/**
 * Bytes of memory of a process of each kind. To make or take in a pack, git needs some 150 bytes for each object, and
 * up to `pack.windowMemory` for each of its threads.
 */
export const memories: Readonly<Record<Lane, number>> = {
  read: READING_MEMORY,
  transfer: 2 * GiB,
  write: USUAL_MEMORY,
  keep: 2 * GiB,
}

/** Milliseconds that processes may take which answer a request, all of them together. */
export const TIME = WORK.milliseconds

/** Milliseconds that a transfer may take. A client that reads or sends too slowly ends it earlier. */
const TRANSFER = 6 * 3_600_000

export const times: Readonly<Record<Lane, number>> = {
  read: TIME,
  transfer: TRANSFER,
  write: TIME,
  keep: TRANSFER,
}
