import { type CompiledQuery, type Expression, type QueryExecutorProvider, ValueNode } from 'kysely'
import { type QueryPlan, runNamed } from './driver.ts'
import type { Tx } from './transaction.ts'
import type { Db } from './pool.ts'

/** Where a {@link statement} has a value that is only known when it runs. */
export class Param<Value> implements Expression<Value> {
  readonly #value: unknown

  constructor(value: unknown) {
    this.#value = value
  }

  /** For types alone. */
  get expressionType(): Value | undefined {
    return undefined
  }

  toOperationNode(): ValueNode {
    return ValueNode.create(this.#value)
  }
}

/** What SQL may have in the place of a value. */
export type Operand<Value> = Value | Param<Value>

/** Gives the parameters of a statement by their names. */
export type Params<Values> = <Name extends keyof Values>(name: Name) => Param<Values[Name]>

/** What Kysely compiles: its builders, and `sql`. */
export interface Query<Row> {
  compile(on: QueryExecutorProvider): CompiledQuery<Row>
}

interface Definition<Values, Row, Built, Shape> {
  /** PostgreSQL shows the statement under this name and a number. */
  readonly name: string
  /**
   * Makes the query; `param('x')` stands for the value `x` that is given at each run.
   * @param shape all else that the text depends on.
   */
  readonly build: (db: Db | Tx['db'], param: Params<Values>, shape: Shape) => Built & Query<Row>
  /**
   * How PostgreSQL plans it. `generic`, the default, is once for all values, for statements that find their rows by
   * indexes whatever the values are: PostgreSQL would otherwise plan large ones at every run as soon as one project is
   * much larger than others, which costs more than running them. Choose `custom` for a statement whose best plan depends on
   * its values. docs/decisions/0019-reads.md has the measurements.
   */
  readonly plan?: QueryPlan
  /** In a transaction, nobody waits for its result: the next statement is sent behind it, and fails with it. */
  readonly deferred?: true
}

/** A statement with the values of a request, to which a list adds an order and a page. */
export interface BoundStatement<Built> {
  /** The query with its values in it, for uses too rare to have a name. */
  query(db: Db | Tx['db']): Built
  /**
   * Runs the query with an addition, which `name` identifies.
   * @param add is called once for each name; it may not put values of the request into the query.
   */
  run<Row>(db: Db | Tx['db'], name: string, add: (query: Built) => Query<Row>): Promise<Row[]>
}

/** A statement that is built and compiled once for each shape. */
export interface Statement<Values, Row, Built = unknown, Shape = void> {
  (db: Db | Tx['db'], values: Values, shape: Shape): Promise<Row[]>
  bind(values: Values, shape: Shape): BoundStatement<Built>
}

/**
 * Makes a statement that requests send often: it is built and compiled once, and PostgreSQL parses it once on each
 * connection. There must not be many shapes, because PostgreSQL keeps each of them.
 * @example const labelById = statement({
 *   name: 'label by id',
 *   build: (db, param: Params<{ id: number }>) => db.selectFrom('labels').selectAll().where('id', '=', param('id')),
 * })
 */
export function statement<Values extends object, Row, Built, Shape extends object | void = void>(
  definition: Definition<Values, Row, Built, Shape>,
): Statement<Values, Row, Built, Shape> {
  const { name, build, plan = 'generic', deferred = false } = definition
  const compiled = new Map<string, CompiledQuery>()
  const params: Params<Values> = (value) => new Param(new Placeholder(value))
  const run = async <Result>(
    on: Db | Tx['db'],
    key: string,
    values: Values,
    query: () => Query<Result>,
  ): Promise<Result[]> => {
    let known = compiled.get(key)
    if (known === undefined) {
      known = query().compile(on)
      compiled.set(key, known)
    }
    const parameters = known.parameters.map((value) =>
      value instanceof Placeholder ? Reflect.get(values, value.name) : value,
    )
    const { rows } = await runNamed<Result>(on, { ...known, parameters, name, plan, deferred })
    return rows
  }
  const whole = (db: Db | Tx['db'], values: Values, shape: Shape): Promise<Row[]> =>
    run<Row>(db, keyOf(shape), values, () => build(db, params, shape))
  const bind = (values: Values, shape: Shape): BoundStatement<Built> => ({
    query: (db) => build(db, (value) => new Param(values[value]), shape),
    run: (db, addition, add) =>
      run(db, `${keyOf(shape)}${addition}`, values, () => add(build(db, params, shape))),
  })
  return Object.assign(whole, { bind })
}

/** Stands for a value in the compiled text. */
class Placeholder {
  readonly name: PropertyKey

  constructor(name: PropertyKey) {
    this.name = name
  }
}

/** Numbers for the objects in shapes. */
const numbers = new WeakMap<object, number>()
let numbered = 0

/** Identifies a shape. Objects in it are told apart by identity. */
function keyOf(shape: object | void): string {
  if (shape === undefined) return ''
  let key = ''
  for (const [name, value] of Object.entries(shape)) {
    key += `${name}:${typeof value === 'object' && value !== null ? numberOf(value) : String(value)} `
  }
  return key
}

function numberOf(value: object): number {
  const known = numbers.get(value) ?? (numbered += 1)
  numbers.set(value, known)
  return known
}

/**
 * The texts of a statement whose filters clients choose, so that it is built for each request. The first ones get names,
 * as those of {@link statement} have. Further ones, of which clients may cause any number, are sent without a name until they are
 * frequent, and cost PostgreSQL no memory. All are planned in the same way: for their values, unless the cache says otherwise.
 */
export class StatementCache {
  readonly #texts = new Set<string>()
  readonly #name: string
  readonly #max: number
  readonly #plan: QueryPlan

  /** @param max the number of texts that get names. */
  constructor({
    name,
    max,
    plan = 'custom',
  }: {
    readonly name: string
    readonly max: number
    readonly plan?: QueryPlan
  }) {
    this.#name = name
    this.#max = max
    this.#plan = plan
  }

  async run<Row>(db: Db | Tx['db'], query: Query<Row>): Promise<Row[]> {
    const compiled = query.compile(db)
    const name = this.#keeps(compiled.sql) ? this.#name : undefined
    const { rows } = await runNamed<Row>(db, { ...compiled, plan: this.#plan, name, deferred: false })
    return rows
  }

  #keeps(text: string): boolean {
    if (this.#texts.has(text)) return true
    if (this.#texts.size >= this.#max) return false
    this.#texts.add(text)
    return true
  }
}
