import type { Compilable, CompiledQuery } from 'kysely'
import { type Planned, type PreparedQuery, runPrepared } from './driver.ts'
import type { Tx } from './transaction.ts'
import type { Db } from './pool.ts'

/** Marks a value that is only known when the statement runs. */
class Placeholder {
  readonly name: PropertyKey
  constructor(name: PropertyKey) {
    this.name = name
  }
}

/**
 * Statements that requests send often, and how PostgreSQL plans them.
 *
 * By default, PostgreSQL plans a statement of {@link prepare} or {@link prepareShapes} once for all values: such
 * statements find their rows by indexes, whatever the values are. Left to itself, PostgreSQL would plan large ones at
 * every run as soon as one project is much larger than others, which costs more than running them. Choose
 * `as it likes` for a statement whose best plan depends on its values. Statements of {@link KeptTexts} are planned as
 * PostgreSQL likes unless they say otherwise, because clients choose among their filters.
 * docs/decisions/0019-reads.md has the measurements.
 */
export interface PrepareOptions {
  readonly planned?: Planned
}

/** A statement of fixed text, built and compiled once, so that requests do not build it. */
export interface Prepared<Values, Row, On = Db | Tx['db']> {
  (db: On, values: Values): Promise<Row[]>
}

/** How a prepared statement is run. */
interface RunOptions extends PrepareOptions {
  /** In a transaction, nobody waits for its result; see {@link PreparedQuery.deferred}. */
  readonly deferred?: boolean
}

/**
 * @param build makes the query; `param('x')` stands for the value `x` given at each run.
 * @example const byId = prepare((db, param: Param<{ id: number }>) =>
 *   db.selectFrom('labels').selectAll().where('id', '=', param('id')))
 */
export function prepare<Values extends object, Row, On extends Db | Tx['db'] = Db | Tx['db']>(
  build: (db: On, param: Param<Values>) => Compilable<Row>,
  { planned = 'once', ...options }: RunOptions = {},
): Prepared<Values, Row, On> {
  let compiled: CompiledQuery<Row> | undefined
  return async (db, values) => {
    compiled ??= build(db, (name) => placeholder<Values, typeof name>(name)).compile()
    const { rows } = await runPrepared<Row>(db, { ...filled(compiled, values, planned), ...options })
    return rows
  }
}

/**
 * A query of one of few shapes, with its values. The filters and the order of a list decide its text, and each text
 * is built and compiled once.
 */
export interface Shaped<Query> {
  /** The query with its values in it, for uses too rare to be kept. */
  readonly query: () => Query
  /**
   * Runs the query with an addition, which `name` identifies.
   * @param add is called once for each name; it may not put values of the request into the query.
   */
  run<Row>(db: Db | Tx['db'], name: string, add: (query: Query) => Compilable): Promise<Row[]>
}

/**
 * Prepares a query of several shapes. A shape is everything that its text depends on, in a few words and flags. There
 * must not be many.
 * @example const list = prepareShapes((db, { sees }: { sees: 'all' | 'own' }, param: Param<{ id: number }>) => …)
 */
export function prepareShapes<Shape extends object, Values extends object, Query extends Compilable>(
  build: (db: Db | Tx['db'], shape: Shape, param: Param<Values>) => Query,
  { planned = 'once' }: PrepareOptions = {},
): (db: Db | Tx['db'], shape: Shape, values: Values) => Shaped<Query> {
  const compiled = new Map<string, CompiledQuery>()
  return (db, shape, values) => ({
    query: () => build(db, shape, (name) => values[name]),
    async run<Row>(on: Db | Tx['db'], name: string, add: (query: Query) => Compilable) {
      const key = `${JSON.stringify(shape)} ${name}`
      let known = compiled.get(key)
      if (known === undefined) {
        known = add(build(db, shape, (value) => placeholder<Values, typeof value>(value))).compile()
        compiled.set(key, known)
      }
      const { rows } = await runPrepared<Row>(on, filled(known, values, planned))
      return rows
    },
  })
}

/**
 * The few kept texts of a statement that is built for each request and asked for often. The first ones are kept by
 * name. Further ones, of which clients may cause any number, are sent unnamed and cost PostgreSQL no memory. All are
 * planned in the same way.
 */
export class KeptTexts {
  readonly #texts = new Set<string>()
  readonly #max: number
  readonly #planned: Planned

  constructor(max: number, planned: Planned = 'as it likes') {
    this.#max = max
    this.#planned = planned
  }

  /** Runs a query; by name when its text is one of those kept. */
  async run<Row>(db: Db | Tx['db'], query: Compilable<Row>): Promise<Row[]> {
    const compiled = query.compile()
    const prepared: PreparedQuery = { ...compiled, planned: this.#planned, kept: this.#keeps(compiled.sql) }
    const { rows } = await runPrepared<Row>(db, prepared)
    return rows
  }

  #keeps(text: string): boolean {
    if (this.#texts.has(text)) return true
    if (this.#texts.size >= this.#max) return false
    this.#texts.add(text)
    return true
  }
}

/** A statement with its placeholders replaced by the values of a run. */
function filled(compiled: CompiledQuery, values: object, planned: Planned): PreparedQuery {
  const parameters = compiled.parameters.map((value) =>
    value instanceof Placeholder ? Reflect.get(values, value.name) : value,
  )
  return { ...compiled, parameters, planned, kept: true }
}

export type Param<Values> = <Name extends keyof Values>(name: Name) => Values[Name]

/** A placeholder has the type of the value that replaces it when the statement runs. */
function placeholder<Values, Name extends keyof Values>(name: Name): Values[Name]
function placeholder(name: PropertyKey): unknown {
  return new Placeholder(name)
}
