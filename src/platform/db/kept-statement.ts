import type pg from 'pg'
import { prepareValue } from 'pg/lib/utils.js'

declare module 'pg' {
  interface Connection {
    /** The texts that PostgreSQL has parsed for this connection, by their names. */
    readonly parsedStatements: Readonly<Record<string, string>>
  }
}

type Row = Record<string, unknown>

/** What each connection was told about the rows of its statements, by their names. */
const described = new WeakMap<pg.Connection, Map<string, Columns>>()

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
  #describedHere: Map<string, Columns> | undefined
  #columns: Columns | undefined
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
    const here = described.get(connection) ?? new Map<string, Columns>()
    described.set(connection, here)
    this.#describedHere = here
    this.#columns = here.get(name)
    connection.stream.cork()
    if (connection.parsedStatements[name] === undefined) connection.parse({ name, text, types: [] }, true)
    connection.bind({ statement: name, values: this.#values }, true)
    if (this.#columns === undefined) connection.describe({ type: 'P' }, true)
    connection.execute(null, true)
    connection.sync()
    connection.stream.uncork()
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    this.#columns = new Columns(fields, this.#types)
    this.#describedHere?.set(this.name, this.#columns)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    try {
      if (this.#columns !== undefined) this.rows.push(this.#columns.read(fields))
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

interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

/** The columns of a statement's rows, and how to read them. */
class Columns {
  readonly #columns: readonly Column[]
  /** Copies of an object that came out of JSON are fast; one that gets key by key would be slow from a dozen keys on. */
  readonly #empty: Row

  constructor(fields: readonly pg.FieldDef[], types: pg.CustomTypesConfig) {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: types.getTypeParser(dataTypeID, 'text'),
    }))
    this.#empty = JSON.parse(JSON.stringify(Object.fromEntries(fields.map(({ name }) => [name, null]))))
  }

  read(values: readonly (string | null)[]): Row {
    const row = { ...this.#empty }
    let index = 0
    for (const { name, parse } of this.#columns) {
      const value = values[index]
      if (value != null) row[name] = parse(value)
      index += 1
    }
    return row
  }
}
