import pg from 'pg'
import { serialize } from 'pg-protocol'
import { prepareValue } from 'pg/lib/utils.js'
import { columnTypes } from '../column-types.ts'

declare module 'pg' {
  interface ClientBase {
    readonly connection: Connection
  }
  interface Connection {
    /** The texts that PostgreSQL has parsed for this connection, by their names. */
    readonly parsedStatements: Readonly<Record<string, string>>
    /** Those that were sent to be parsed, until PostgreSQL has answered. */
    readonly submittedNamedStatements: Record<string, string>
  }
}

type Row = Record<string, unknown>
type Values = readonly (string | null)[]
type ReadRow = (values: Values) => Row

const DESCRIBE = serialize.describe({ type: 'P' })
const EXECUTE = Buffer.concat([serialize.execute(), serialize.sync()])

/** How to read the rows of the statements that each connection has, by their names. */
const described = new WeakMap<pg.Connection, Map<string, ReadRow>>()

/** What came of it, as `pg` says it. */
type KeptResult = Pick<pg.QueryResult, 'rows' | 'command' | 'rowCount'>

/**
 * A statement that PostgreSQL keeps by name, as `pg` sends it and reads its answer. The class of `pg` asks at each run which columns
 * come, and builds what reads them anew. They stay the same as long as a connection has the statement, so this class asks once.
 * docs/decisions/0004-database-driver.md has the figures. `pg` calls the methods.
 */
export class KeptStatement implements pg.Submittable {
  /** `pg` notes under this name that the text is parsed. */
  readonly name: string
  readonly text: string
  /** Whoever sends it sets it. */
  callback: ((error: unknown, result?: KeptResult) => void) | undefined
  readonly #result: KeptResult = { rows: [], command: '', rowCount: null }
  readonly #values: (string | Buffer | null)[]
  #describedHere: Map<string, ReadRow> | undefined
  #readRow: ReadRow | undefined
  #unreadable: unknown

  constructor(name: string, { text, values = [] }: pg.QueryConfig<unknown[]>) {
    this.name = name
    this.text = text
    this.#values = values.map((value) => prepareValue(value))
  }

  submit(connection: pg.Connection): void {
    const { name, text } = this
    const { stream, parsedStatements, submittedNamedStatements: submitted } = connection
    const here = described.get(connection) ?? new Map<string, ReadRow>()
    described.set(connection, here)
    this.#describedHere = here
    this.#readRow = here.get(name)
    const messages = [serialize.bind({ statement: name, values: this.#values })]
    if (parsedStatements[name] === undefined && submitted[name] === undefined) {
      submitted[name] = text
      messages.unshift(serialize.parse({ name, text }))
    }
    if (this.#readRow === undefined) messages.push(DESCRIBE)
    messages.push(EXECUTE)
    // A connection that was lost tells it by an event of its own.
    if (stream.writable) stream.write(Buffer.concat(messages))
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#readWith(readerOf(fields))
  }

  #readWith(reader: ReadRow): void {
    this.#readRow = reader
    this.#describedHere?.set(this.name, reader)
  }

  handleDataRow({ fields }: { readonly fields: Values }): void {
    try {
      if (this.#readRow !== undefined) this.#result.rows.push(this.#readRow(fields))
    } catch (error) {
      this.#unreadable ??= error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const [command = '', ...counts] = text.split(' ')
    this.#result.command = command
    this.#result.rowCount = Number(counts.at(-1) ?? 0)
    // No columns were described: there are none.
    if (this.#readRow === undefined) this.#readWith(noColumns)
  }

  handleReadyForQuery(): void {
    if (this.#unreadable === undefined) this.callback?.(null, this.#result)
    else this.callback?.(this.#unreadable)
  }

  handleError(error: unknown): void {
    this.callback?.(error)
  }

  /** The answer to a text without a statement. */
  handleEmptyQuery(): void {}
}

// On connections with `pipeline`, `pg` takes nothing but its own statements, because others may read their rows in several
// round trips. This one does not.
Object.setPrototypeOf(KeptStatement.prototype, pg.Query.prototype)

const noColumns: ReadRow = () => ({})

/** Sends a statement on a connection that nobody else uses. */
export function queryKept(
  client: pg.ClientBase,
  name: string,
  statement: pg.QueryConfig<unknown[]>,
): Promise<KeptResult> {
  return new Promise((resolve, reject) => {
    const kept = new KeptStatement(name, statement)
    kept.callback = (error, result) => (result === undefined ? reject(error) : resolve(result))
    client.query(kept)
  })
}

/** Readers of rows by the names and types of their columns, for all connections. */
const readers = new Map<string, ReadRow>()

function readerOf(fields: readonly pg.FieldDef[]): ReadRow {
  const key = fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`).join()
  const reader = readers.get(key) ?? makeReader(fields)
  readers.set(key, reader)
  return reader
}

/** Its code has the names of the columns, because an object gets keys that come out of variables several times slower. */
function makeReader(fields: readonly pg.FieldDef[]): ReadRow {
  const parsers = fields.map(({ dataTypeID }) => columnTypes.getTypeParser(dataTypeID, 'text'))
  const columns = fields.map(
    ({ name }, n) => `${JSON.stringify(name)}: values[${n}] === null ? null : parsers[${n}](values[${n}])`,
  )
  // oxlint-disable-next-line typescript/no-implied-eval -- the names come from our own statements, and are quoted
  return new Function('parsers', `return (values) => ({ ${columns.join(', ')} })`)(parsers)
}
