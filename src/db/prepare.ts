import type { Compilable, CompiledQuery } from 'kysely'
import type { Tx } from './transaction.ts'
import type { Db } from './pool.ts'

/** Where a value goes that is only known when the statement runs. */
class Placeholder {
  readonly name: PropertyKey
  constructor(name: PropertyKey) {
    this.name = name
  }
}

/** A statement of fixed text, built and compiled once: what every request runs costs no building. */
export interface Prepared<Values, Row, On = Db | Tx['db']> {
  (db: On, values: Values): Promise<Row[]>
}

/**
 * @param build makes the query; `param('x')` stands for the value `x` given at each run.
 * @example const byId = prepare((db, param: Param<{ id: number }>) =>
 *   db.selectFrom('labels').selectAll().where('id', '=', param('id')))
 */
export function prepare<Values extends object, Row, On extends Db | Tx['db'] = Db | Tx['db']>(
  build: (db: On, param: Param<Values>) => Compilable<Row>,
): Prepared<Values, Row, On> {
  let compiled: CompiledQuery<Row> | undefined
  return async (db, values) => {
    compiled ??= build(db, (name) => placeholder<Values, typeof name>(name)).compile()
    const parameters = compiled.parameters.map((value) =>
      value instanceof Placeholder ? Reflect.get(values, value.name) : value,
    )
    const { rows } = await db.executeQuery<Row>({ ...compiled, parameters })
    return rows
  }
}

export type Param<Values> = <Name extends keyof Values>(name: Name) => Values[Name]

/** A placeholder passes for the value that replaces it when the statement runs. */
function placeholder<Values, Name extends keyof Values>(name: Name): Values[Name]
function placeholder(name: PropertyKey): unknown {
  return new Placeholder(name)
}
