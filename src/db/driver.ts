import type pg from 'pg'
import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'

/** Told of each statement that is sent: metrics, and tests that count statements. */
export type OnStatement = (sql: string, parameters: readonly unknown[]) => void

/**
 * Kysely over `pg`, without the two costs that matter on a hot path: a statement outside a transaction takes
 * no connection of its own (the pool runs it), and every statement is sent by name, so that PostgreSQL parses
 * and plans it once for each connection. Measured in docs/decisions/0004-database-driver.md.
 */
export function pooledDialect(pool: pg.Pool, onStatement: OnStatement): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PooledDriver(pool, onStatement),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

/** Beyond this many different texts, further ones are sent unnamed: names cost memory on both sides. */
const MAX_NAMED = 2000

const names = new Map<string, string>()

/** The name under which a statement is prepared, the same in every connection; none past {@link MAX_NAMED}. */
export function statementName(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (names.size >= MAX_NAMED) return undefined
  const name = `s${names.size.toString(36)}`
  names.set(text, name)
  return name
}

class PooledDriver implements Driver {
  readonly #pool: pg.Pool
  readonly #onStatement: OnStatement

  constructor(pool: pg.Pool, onStatement: OnStatement) {
    this.#pool = pool
    this.#onStatement = onStatement
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<Connection> {
    return new Connection(this.#pool, this.#onStatement)
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
    await this.#pool.end()
  }
}

/** Sends to the pool, and to a client of its own between {@link begin} and {@link finish}. */
class Connection implements DatabaseConnection {
  readonly #pool: pg.Pool
  readonly #onStatement: OnStatement
  #client: pg.PoolClient | undefined

  constructor(pool: pg.Pool, onStatement: OnStatement) {
    this.#pool = pool
    this.#onStatement = onStatement
  }

  async begin(command: string): Promise<void> {
    this.#client = await this.#pool.connect()
    await this.#client.query(command)
  }

  async finish(command: 'commit' | 'rollback'): Promise<void> {
    const client = this.#client
    if (client === undefined) return
    try {
      const { command: done } = await client.query(command)
      // PostgreSQL answers a commit of a failed transaction with ROLLBACK.
      if (command === 'commit' && done === 'ROLLBACK') throw new AbortedTransactionError()
    } catch (error) {
      this.release(error instanceof AbortedTransactionError ? undefined : error)
      throw error
    }
    this.release()
  }

  release(failure?: unknown): void {
    this.#client?.release(failure !== undefined)
    this.#client = undefined
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.#onStatement(query.sql, query.parameters)
    const name = statementName(query.sql)
    const config: pg.QueryConfig = { text: query.sql, values: [...query.parameters] }
    if (name !== undefined) config.name = name
    const result = await (this.#client ?? this.#pool).query<R & pg.QueryResultRow>(config)
    const counts = result.command === 'INSERT' || result.command === 'UPDATE' || result.command === 'DELETE'
    return counts
      ? { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) }
      : { rows: result.rows }
  }

  // oxlint-disable-next-line require-yield -- nothing here streams; the type asks for the method
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('This driver does not stream')
  }
}
