import type pg from 'pg'
import {
  AbortedTransactionError,
  type CompiledQuery,
  type DatabaseConnection,
  type QueryResult,
} from 'kysely'
import { isRefusedStatement, isStalePlan, noteStatement } from './errors.ts'
import type { Answered, Sending } from './fast/sending.ts'
import type { FrequentTexts } from './frequent-texts.ts'
import { lossOf } from './losses.ts'
import { assertOutsideTransaction } from './open-transaction.ts'

/**
 * Called for each statement that is sent: for metrics, and for tests that count statements. What it returns is called
 * when the statement is answered.
 */
export type OnStatement = (
  sql: string,
  parameters: readonly unknown[],
  plan: QueryPlan,
  name: string | undefined,
) => void | (() => void)

/**
 * How PostgreSQL plans a statement: `generic` is once for all values, and `custom` for the values of each run where that
 * looks cheaper.
 */
export type QueryPlan = 'generic' | 'custom'

/** A statement of statement.ts. */
export interface NamedQuery extends CompiledQuery {
  readonly plan: QueryPlan
  /** PostgreSQL keeps it under this name and a number. Undefined where there may be many such texts. */
  readonly name: string | undefined
  /**
   * Inside a transaction nobody waits for its result: the next statement, often the commit, is sent behind it. When it
   * fails, the transaction fails with its error.
   */
  readonly deferred: boolean
}

/** Where a driver sends statements. */
export interface Connections {
  /** For transactions. */
  readonly writes: Pick<pg.Pool, 'connect'>
  /** For statements outside of transactions. */
  readonly reads: StatementTarget
  /** For those of them with generic plans. */
  readonly plannedOnce: StatementTarget
  readonly sending: Sending
  end(): Promise<void>
}

export interface StatementTarget {
  query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Answered<Row>>
}

const names = new Map<string, string>()
let named = 0

/** The name under which PostgreSQL keeps a text; the same in every connection. */
function statementName(text: string, of: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `${of} ${(named += 1)}`
    names.set(text, name)
  }
  return name
}

/** Another node's migration made the plan invalid. From now on the text is prepared under a new name. */
function forgetName(text: string, name: string): void {
  if (names.get(text) === name) names.delete(text)
}

const isNamed = (query: CompiledQuery): query is NamedQuery => 'plan' in query

/** Sends to a pool; between {@link begin} and {@link finish}, to a client of its own. */
export class Connection implements DatabaseConnection {
  readonly #connections: Connections
  readonly #onStatement: OnStatement
  readonly #frequent: FrequentTexts
  #client: pg.PoolClient | undefined
  /** What was sent in the transaction without waiting for the answer. */
  #unanswered: Promise<unknown>[] = []
  #ended: Promise<void> | undefined
  #answers = false

  constructor(connections: Connections, onStatement: OnStatement, frequent: FrequentTexts) {
    this.#connections = connections
    this.#onStatement = onStatement
    this.#frequent = frequent
  }

  async begin(command: string): Promise<void> {
    const client = await this.#connections.writes.connect()
    this.#client = client
    this.#unanswered = []
    this.#connections.sending.hold(client)
    this.#defer(client.query(command))
  }

  /** From now on the transaction only reads, and its end is sent next. */
  answer(): void {
    this.#answers = true
  }

  #defer(sent: Promise<unknown>): void {
    // Whoever waits for the next statement, or for the end of the transaction, meets the failure.
    sent.catch(() => {})
    this.#unanswered.push(sent)
  }

  /** Waits for a statement and everything before it. @throws the first failure, which caused the others */
  async #answered<T>(sent: Promise<T>): Promise<T> {
    const before = this.#unanswered
    if (before.length === 0) return sent
    this.#unanswered = []
    const [answer] = await Promise.allSettled([sent, ...before])
    await Promise.all(before)
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  }

  finish(command: 'commit' | 'rollback'): Promise<void> {
    this.#ended = this.#finish(command)
    return this.#ended
  }

  async #finish(command: 'commit' | 'rollback'): Promise<void> {
    const client = this.#client
    if (client === undefined) return
    try {
      const sent = client.query(command)
      this.#connections.sending.release(client)
      const { command: done } = await this.#answered(sent)
      // PostgreSQL answers a commit of a failed transaction with ROLLBACK.
      if (command === 'commit' && done === 'ROLLBACK') throw new AbortedTransactionError()
    } catch (error) {
      // Then PostgreSQL has ended the transaction, and the connection can be used again.
      const ended = error instanceof AbortedTransactionError || isRefusedStatement(error)
      this.release(ended ? undefined : error)
      // The cause of the rollback says more than the failure to send it; the server rolls back by itself.
      if (command === 'commit') throw lossOf(client) ?? error
      return
    }
    this.release()
  }

  release(failure?: unknown): void {
    this.#client?.release(failure !== undefined)
    this.#client = undefined
  }

  /** @throws an error of PostgreSQL; {@link statementOf} gives the text that it is about. */
  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#ended !== undefined) return this.#afterwards(query, this.#ended)
    if (this.#client === undefined) return this.#outside(query)
    const client = this.#client
    const { sending } = this.#connections
    const target: StatementTarget = { query: (statement) => sending.toClient(client, statement) }
    const deferred = isNamed(query) && query.deferred
    if (deferred || this.#answers) sending.hold(client)
    // A transaction has a connection of its own, on which no plan is forced.
    const answer = this.#send<R>(query, target, 'custom')
    if (deferred || this.#answers) {
      this.#defer(answer)
      return deferred ? Promise.resolve({ rows: [] }) : answer
    }
    sending.release(client)
    return this.#answered(answer)
  }

  async #afterwards<R>(query: CompiledQuery, ended: Promise<void>): Promise<QueryResult<R>> {
    if (!this.#answers) throw new Error('A statement was sent after the end of its transaction')
    await ended
    return this.#outside(query)
  }

  /** Runs a statement outside of transactions. */
  #outside<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    assertOutsideTransaction('A statement outside of it')
    const plan = isNamed(query) ? query.plan : 'custom'
    return this.#send(query, this.#connections[plan === 'generic' ? 'plannedOnce' : 'reads'], plan)
  }

  #send<R>(query: CompiledQuery, target: StatementTarget, plan: QueryPlan): Promise<QueryResult<R>> {
    const name = this.#nameOf(query)
    const onAnswer = this.#onStatement(query.sql, query.parameters, plan, name)
    const answer = this.#answer<R>(query, target, name)
    if (onAnswer !== undefined) answer.then(onAnswer, onAnswer)
    return answer
  }

  /** The name with which a statement is sent, if any. */
  #nameOf(query: CompiledQuery): string | undefined {
    const given = isNamed(query) ? query.name : undefined
    const of = given ?? (this.#frequent.isFrequent(query.sql) ? 'often' : undefined)
    return of === undefined ? undefined : statementName(query.sql, of)
  }

  async #answer<R>(
    query: CompiledQuery,
    target: StatementTarget,
    name: string | undefined,
  ): Promise<QueryResult<R>> {
    try {
      return resultOf(await target.query<R & pg.QueryResultRow>(toSend(query, name)))
    } catch (error) {
      // Its own stack ends where the answer was read. This one leads to the code that asked.
      if (error instanceof Error) Error.captureStackTrace(error)
      const stale = name !== undefined && isStalePlan(error)
      if (stale) forgetName(query.sql, name)
      // The error has ended a transaction; transaction.ts runs it again as a whole.
      if (stale && this.#client === undefined) return this.#answer(query, target, this.#nameOf(query))
      const cause = (this.#client && lossOf(this.#client)) ?? error
      noteStatement(cause, query.sql)
      throw cause
    }
  }

  // oxlint-disable-next-line require-yield -- nothing here streams; the type asks for the method
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('This driver does not stream')
  }
}

const toSend = ({ sql, parameters }: CompiledQuery, name: string | undefined): pg.QueryConfig => ({
  text: sql,
  values: [...parameters],
  ...(name !== undefined && { name }),
})

function resultOf<R extends pg.QueryResultRow>({ command, rows, rowCount }: Answered<R>): QueryResult<R> {
  const counts = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
  return counts ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
}
