import type { Kysely } from 'kysely'
import { type ClientBase, Pool } from 'pg'
import { columnTypes } from './column-types.ts'
import { type Connections, openKysely, type OnStatement } from './driver.ts'
import { fast, type Sending } from './fast/sending.ts'
import { rememberLoss } from './losses.ts'
import type { DB } from './schema.ts'

/** Where PostgreSQL listens: a URL, or the socket folder of the embedded server. */
export type DatabaseAddress =
  | { readonly connectionString: string }
  | {
      readonly host: string
      readonly port: number
      readonly user: string
      readonly password?: string
      readonly database: string
    }

/** Typed access to the tables. Outside transactions each statement runs on the pool. */
export type Db = Kysely<DB>

/** How long a session may take before PostgreSQL ends a statement or the session, in milliseconds; 0 means no limit. */
export interface SessionLimits {
  /** For one statement. */
  readonly statement: number
  /** For one lock: a session that holds it that long will not release it soon. */
  readonly lock: number
  /** Between two statements of a transaction. */
  readonly idleInTransaction: number
}

/** The limits of sessions for the writes of requests, and of everything that says nothing else. */
export const REQUESTS: SessionLimits = { statement: 30_000, lock: 10_000, idleInTransaction: 15_000 }

/**
 * Seconds after which a connection is replaced, which frees what PostgreSQL keeps for it: prepared statements,
 * caches.
 */
const LIFETIME = 30 * 60

export interface PoolOptions {
  readonly limits?: SessionLimits
  /**
   * Whether a statement may be sent before the one before it is answered (driver.ts). A connection that does so cannot be
   * closed in the middle of a statement.
   */
  readonly pipeline?: boolean
  /** Statements that each new session begins with. Nobody gets it before they have run. */
  readonly begin?: string
  /** The name that PostgreSQL shows for the sessions. */
  readonly name?: string
}

/** Opens a pool whose sessions use UTC and ISO dates. It drops broken connections and never throws for them. */
export function openPool(
  address: DatabaseAddress,
  max: number,
  { limits = REQUESTS, pipeline = true, begin, name = 'forgelet' }: PoolOptions = {},
): Pool {
  const pool = new Pool({
    ...address,
    max,
    types: columnTypes,
    pipeline,
    statement_timeout: limits.statement,
    lock_timeout: limits.lock,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: LIFETIME,
    application_name: name,
    ...(begin !== undefined && { onConnect: (client: ClientBase): unknown => client.query(begin) }),
  })
  // The query that meets a lost connection rejects. Without a handler, this event would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => rememberLoss(client))
  return pool
}

/** Wraps connections for typed statements. A single pool serves all kinds of statements. Ending the result ends them. */
export function openDb(
  on: Pool | Connections,
  onStatement: OnStatement = () => {},
  sending: Sending = fast,
): Db {
  const connections: Connections =
    on instanceof Pool ? { writes: on, reads: on, plannedOnce: on, sending, end: () => on.end() } : on
  return openKysely<DB>(connections, onStatement)
}
