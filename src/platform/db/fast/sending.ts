import type pg from 'pg'
import { KeptStatement, queryKept } from './kept-statement.ts'
import { type ThrottleLimits, type WaitingReads, WriteThrottle } from './write-throttle.ts'

/** What a statement was answered with. */
export type Answered<Row extends pg.QueryResultRow> = Pick<
  pg.QueryResult<Row>,
  'rows' | 'command' | 'rowCount'
>

/**
 * How statements go to `pg`. Everything in this folder is there for speed alone, and some of it uses what `pg` does not
 * promise to keep. {@link plainly} does without, so that tests can show that nothing else depends on it.
 */
export interface Sending {
  /** @returns sends a statement on some connection of a pool. @throws when it has values that cannot be sent */
  toPool<Row extends pg.QueryResultRow>(
    pool: pg.Pool,
    statement: pg.QueryConfig,
  ): (callback: (error: Error | undefined, answer: Answered<Row>) => void) => void
  /** Sends a statement on a connection of one's own. */
  toClient<Row extends pg.QueryResultRow>(
    client: pg.ClientBase,
    statement: pg.QueryConfig,
  ): Promise<Answered<Row>>
  /** Keeps what is sent to a client from now on, so that it goes in one piece with what comes next: see {@link release}. */
  hold(client: pg.ClientBase): void
  /** Sends what was kept. */
  release(client: pg.ClientBase): void
  /** The connections for transactions. */
  transactions(pool: pg.Pool, reads: readonly WaitingReads[], limits: ThrottleLimits): Transactions
}

/** Connections for transactions. */
export interface Transactions {
  readonly pool: pg.Pool
  /** How many transactions wait, although there are connections. */
  readonly waiting: number
  connect(): Promise<pg.PoolClient>
}

/** With everything in this folder. */
export const fast: Sending = {
  toPool(pool, statement) {
    const { name } = statement
    const sent = name === undefined ? statement : new KeptStatement(name, statement)
    return (callback) => pool.query(sent, callback)
  },
  toClient: (client, statement) =>
    statement.name === undefined ? client.query(statement) : queryKept(client, statement.name, statement),
  hold(client) {
    const { stream } = client.connection
    if (stream.writableCorked === 0) stream.cork()
  },
  release({ connection: { stream } }) {
    if (stream.writableCorked > 0) stream.uncork()
  },
  transactions: (pool, reads, limits) => new WriteThrottle(pool, reads, limits),
}

/** As `pg` is meant to be used. */
export const plainly: Sending = {
  toPool: (pool, statement) => (callback) => pool.query(statement, callback),
  toClient: (client, statement) => client.query(statement),
  hold() {},
  release() {},
  transactions: (pool) => ({ pool, waiting: 0, connect: () => pool.connect() }),
}
