import { Kysely } from 'kysely'
import { type CustomTypesConfig, Pool, types as pgTypes } from 'pg'
import { type OnStatement, pooledDialect } from './driver.ts'
import type { DB } from './schema.ts'

/** Where PostgreSQL listens: a URL, or the socket folder of the embedded one. */
export type DatabaseAddress =
  | { readonly connectionString: string }
  | {
      readonly host: string
      readonly port: number
      readonly user: string
      readonly password?: string
      readonly database: string
    }

/** The typed way to the tables; outside transactions each statement runs on the pool. */
export type Db = Kysely<DB>

const INT8_ARRAY = 1016
const asText = (value: string): string => value
const asIds = (value: string): number[] => (value === '{}' ? [] : value.slice(1, -1).split(',').map(Number))

/** Dates and times stay text (http/time.ts gives them their form); bigints are ids, far below 2^53. */
const parsers = new Map<number, (value: string) => unknown>([
  [pgTypes.builtins.INT8, Number],
  [INT8_ARRAY, asIds],
  [pgTypes.builtins.DATE, asText],
  [pgTypes.builtins.TIMESTAMP, asText],
  [pgTypes.builtins.TIMESTAMPTZ, asText],
])

const types: CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) || pgTypes.getTypeParser(oid, format ?? 'text'),
}

/** How long a statement may run before PostgreSQL ends it, in milliseconds. */
const STATEMENT_TIMEOUT = 30_000

/** Opens a pool whose sessions speak UTC and ISO dates. Broken connections are dropped, never thrown. */
export function openPool(address: DatabaseAddress, max: number): Pool {
  const pool = new Pool({
    ...address,
    max,
    types,
    options: '-c timezone=UTC -c datestyle=ISO -c client_min_messages=warning',
    statement_timeout: STATEMENT_TIMEOUT,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    application_name: 'forgelet',
  })
  // The query that meets a lost connection rejects; the event beside it would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Wraps a pool for typed statements. Ending the result ends the pool. */
export function openDb(pool: Pool, onStatement: OnStatement = () => {}): Db {
  return new Kysely<DB>({ dialect: pooledDialect(pool, onStatement) })
}
