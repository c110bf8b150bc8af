import type pg from 'pg'
import { serialize } from 'pg-protocol'
import { prepareValue } from 'pg/lib/utils.js'

declare module 'pg' {
  interface Connection {
    /** The texts that PostgreSQL has parsed for this connection, by their names. */
    readonly parsedStatements: Readonly<Record<string, string>>
  }
}

type Row = Record<string, unknown>
type Values = readonly (string | null)[]
type ReadRow = (values: Values) => Row

const DESCRIBE = serialize.describe({ type: 'P' })
const EXECUTE = Buffer.concat([serialize.execute(), serialize.sync()])

/** How to read the rows of the statements that each connection has, by their names. */
const described = new WeakMap<pg.Connection, Map<string, ReadRow>>()

/**
 * A read that PostgreSQL keeps by name, as `pg` sends it and reads its answer. The class of `pg` asks at each run which columns
 * come, and builds what reads them anew. They stay the same as long as a connection has the statement, so this class asks once.
 * docs/decisions/0004-database-driver.md has the figures.
 *
 * `pg` calls the methods, and its callers get the statement itself as the result. It takes no such statements on connections with
 * `pipeline`.
 */
export class KeptStatement implements pg.Submittable {
  /** `pg` notes under this name that the text is parsed. */
  readonly name: string
  readonly text: string
  /** The result, as in `pg`. */
  readonly rows: Row[] = []
  command = ''
  rowCount: number | null = null
  /** The pool sets it. */
  callback: ((error: unknown, result?: KeptStatement) => void) | undefined
  readonly #values: (string | Buffer | null)[]
  readonly #types: pg.CustomTypesConfig
  #describedHere: Map<string, ReadRow> | undefined
  #readRow: ReadRow | undefined
  #unreadable: unknown

  /** @param types tells how to read each type of column. */
  constructor(name: string, { text, values = [] }: pg.QueryConfig<unknown[]>, types: pg.CustomTypesConfig) {
    this.name = name
    this.text = text
    this.#values = values.map((value) => prepareValue(value))
    this.#types = types
  }

  submit(connection: pg.Connection): void {
    const { name, text } = this
    const { stream, parsedStatements } = connection
    const here = described.get(connection) ?? new Map<string, ReadRow>()
    described.set(connection, here)
    this.#describedHere = here
    this.#readRow = here.get(name)
    const messages = [serialize.bind({ statement: name, values: this.#values })]
    if (parsedStatements[name] === undefined) messages.unshift(serialize.parse({ name, text }))
    if (this.#readRow === undefined) messages.push(DESCRIBE)
    messages.push(EXECUTE)
    // A connection that was lost tells it by an event of its own.
    if (stream.writable) stream.write(Buffer.concat(messages))
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#readRow = readerOf(fields, this.#types)
    this.#describedHere?.set(this.name, this.#readRow)
  }

  handleDataRow({ fields }: { readonly fields: Values }): void {
    try {
      if (this.#readRow !== undefined) this.rows.push(this.#readRow(fields))
    } catch (error) {
      this.#unreadable ??= error
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const [command = '', ...counts] = text.split(' ')
    this.command = command
    this.rowCount = Number(counts.at(-1) ?? 0)
  }

  handleReadyForQuery(): void {
    if (this.#unreadable === undefined) this.callback?.(null, this)
    else this.callback?.(this.#unreadable)
  }

  handleError(error: unknown): void {
    this.callback?.(error)
  }

  /** The answer to a text without a statement. */
  handleEmptyQuery(): void {}
}

/** Readers of rows by the names and types of their columns, for all connections. */
const readers = new Map<string, ReadRow>()

function readerOf(fields: readonly pg.FieldDef[], types: pg.CustomTypesConfig): ReadRow {
  const key = fields.map(({ name, dataTypeID }) => `${name} ${dataTypeID}`).join()
  const reader = readers.get(key) ?? makeReader(fields, types)
  readers.set(key, reader)
  return reader
}

/** Its code has the names of the columns, because an object gets keys that come out of variables several times slower. */
function makeReader(fields: readonly pg.FieldDef[], types: pg.CustomTypesConfig): ReadRow {
  const parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID, 'text'))
  const columns = fields.map(
    ({ name }, n) => `${JSON.stringify(name)}: values[${n}] === null ? null : parsers[${n}](values[${n}])`,
  )
  // oxlint-disable-next-line typescript/no-implied-eval -- the names come from our own statements, and are quoted
  return new Function('parsers', `return (values) => ({ ${columns.join(', ')} })`)(parsers)
}
