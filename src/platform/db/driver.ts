import {
  type CompiledQuery,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type Transaction,
  type TransactionSettings,
} from 'kysely'
import { Connection, type Connections, type NamedQuery, type OnStatement } from './connection.ts'
import { FrequentTexts } from './frequent-texts.ts'

export type { Connections, OnStatement, QueryPlan } from './connection.ts'

/**
 * Kysely over `pg`, without the two costs that matter on a hot path: a statement outside a transaction takes no
 * connection of its own (the pool runs it), and a prepared one is sent by name, so that PostgreSQL parses it once per
 * connection. All other statements are sent unnamed until they are frequent (frequent-texts.ts): clients who influence their
 * text could otherwise fill the server's memory. A transaction begins in the round trip of its first statement, and a deferred statement takes no
 * round trip of its own. Measured in docs/decisions/0004-database-driver.md.
 */
export function openKysely<DB>(connections: Connections, onStatement: OnStatement): Kysely<DB> {
  const frequent = new FrequentTexts()
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () =>
      new PooledDriver(() => new Connection(connections, onStatement, frequent), connections),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  const db = new Kysely<DB>({ dialect })
  connectionsOf.set(db, new Connection(connections, onStatement, frequent))
  return db
}

/** What runs the statements of each instance of Kysely: outside of transactions a connection of any kind, in one its own. */
const connectionsOf = new WeakMap<object, Connection>()

/**
 * Runs a statement of statement.ts at once: by way of Kysely, which looks for a connection first, it would wait for a dozen promises
 * more.
 */
export const runNamed = <Row>(
  on: { executeQuery<R>(query: CompiledQuery<R>): Promise<QueryResult<R>> },
  query: NamedQuery,
): Promise<QueryResult<Row>> => connectionsOf.get(on)?.executeQuery<Row>(query) ?? on.executeQuery<Row>(query)

/** Finds the connection of a transaction, for {@link runNamed} and {@link readLast}. */
export async function findConnection<DB>(transaction: Transaction<DB>): Promise<void> {
  await transaction.getExecutor().provideConnection(async (connection) => {
    if (connection instanceof Connection) connectionsOf.set(transaction, connection)
  })
}

/**
 * Reads what a transaction answers with: its end is sent behind the first statement of `read`, so that its locks are held for one round
 * trip less. Further statements are sent when it has ended, outside of it.
 * @returns waits for the answer
 */
export function readLast<T>(transaction: object, read: () => Promise<T>): () => Promise<T> {
  connectionsOf.get(transaction)?.answer()
  const answer = read()
  // When the transaction fails, nobody waits for the answer.
  answer.catch(() => {})
  return () => answer
}

class PooledDriver implements Driver {
  readonly #connect: () => Connection
  readonly #connections: Connections

  constructor(connect: () => Connection, connections: Connections) {
    this.#connect = connect
    this.#connections = connections
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return this.#connect()
  }

  async beginTransaction(connection: Connection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : ''
    const mode = settings.accessMode ? ` ${settings.accessMode}` : ''
    await connection.begin(`start transaction${level}${mode}`)
  }

  async commitTransaction(connection: Connection): Promise<void> {
    await connection.finish('commit')
  }

  async rollbackTransaction(connection: Connection): Promise<void> {
    await connection.finish('rollback')
  }

  async releaseConnection(connection: Connection): Promise<void> {
    connection.release()
  }

  async destroy(): Promise<void> {
    await this.#connections.end()
  }
}
