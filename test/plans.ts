import { escapeLiteral, type Pool, type PoolClient, type QueryResult } from 'pg'
import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { PLANNED_ONCE } from '#platform/db/request-connections.ts'
import { expect } from 'vitest'
import { until } from './until.ts'
import type { Statement, World } from './world.ts'

/**
 * How PostgreSQL carries out a statement. Partitions count as the table that they are of; what it does with those that are
 * empty is left out.
 */
export interface Plan {
  readonly sql: string
  /** Whether it is for any values, as PostgreSQL keeps it for statements that were sent by name often. */
  readonly generic: boolean
  /** The indexes it reads, in no order, each once. */
  readonly indexes: readonly string[]
  /** The tables it reads from start to end. */
  readonly scanned: readonly string[]
  /** What it sorts rows by; a list that is read in the order of its index sorts by nothing. */
  readonly sorts: readonly string[]
}

/**
 * How PostgreSQL carries out what requests send while `work` runs: each statement once for its values and, where that
 * differs, as it is kept when the statement was sent often; one that is planned once for all values, with the settings of
 * the sessions that get it. What such a test shows depends on what the tables hold:
 * fill them, and `analyze`, in a world of its own.
 */
export async function plansOf(world: World, work: () => Promise<unknown>): Promise<Plan[]> {
  const statements = await world.sent(work)
  return explaining(world.running.services.pool, async (explain) => {
    const partitions = await partitionsOf(explain.on)
    const plans: Plan[] = []
    for (const statement of statements) plans.push(...(await plansFor(explain, statement, partitions)))
    return plans
  })
}

/**
 * Fills tables in one transaction, without a look at foreign keys, which takes longer than writing the rows. Triggers do not
 * run either.
 */
export async function fillTables({ db: pool }: World, work: (db: Db) => Promise<unknown>): Promise<void> {
  await pool.transaction().execute(async (db) => {
    await sql`set local session_replication_role = replica`.execute(db)
    await work(db)
  })
}

/**
 * Vacuums and analyzes tables, all unless named. It waits for everybody who has a snapshot from before: until they are done,
 * PostgreSQL cannot mark pages as visible to all, which decides what it expects of a look at an index alone.
 */
export async function vacuum({ running }: World, tables = ''): Promise<void> {
  await vacuumIn(running.services.pool, tables)
}

/** The same in any database. */
export async function vacuumIn(pool: Pool, tables = ''): Promise<void> {
  const { rows } = await pool.query('select pg_current_xact_id()::text as now')
  await until(async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and age(backend_xmin) > age($1::xid)`,
      [rows[0].now],
    )
    expect(rowCount).toBe(0)
  })
  await pool.query(`vacuum analyze ${tables}`)
}

/** What PostgreSQL is told about its plans. */
export type Planning = 'for the values' | 'for any values'

/**
 * How many rows of some tables PostgreSQL looks at, in the tables or their indexes, while `work` runs: it carries every statement
 * out, so this shows what a plan costs, whatever the planner expected.
 */
export async function rowsRead(
  world: World,
  tables: readonly string[],
  planning: Planning,
  work: () => Promise<unknown>,
): Promise<number> {
  const statements = await world.sent(work)
  const mode = planning === 'for the values' ? 'force_custom_plan' : 'force_generic_plan'
  return explaining(world.running.services.pool, async (explain) => {
    let rows = 0
    for (const statement of statements) {
      const [plan] = await explain.plans(statement, [EXECUTED], `set plan_cache_mode = ${mode}`)
      rows += nodesBelow(plan)
        .filter((node) => tables.includes(node['Relation Name'] ?? ''))
        .reduce((sum, node) => sum + looks(node), 0)
    }
    return rows
  })
}

/** The rows that a node looked at, those included that a filter removed. A scan without a row counts for one. */
function looks(node: Node): number {
  const { 'Actual Rows': found = 0, 'Actual Loops': loops = 0 } = node
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return Math.round(loops * Math.max(found + removed, 1))
}

/** Plans as for tables that are so many times as large as these: the cost of an index hardly grows with its table. */
const AS_IF = 100

/**
 * The most rows that one step of a statement looks at, with the name of what it reads. It is carried out as it is planned
 * for its values and, if it is sent often, for any.
 */
export function mostRead(
  pool: Pool,
  statement: Statement,
): Promise<{ readonly rows: number; readonly from: string }> {
  const costs = `set seq_page_cost = ${AS_IF}`
  const modes = statement.plan === 'generic' ? ['generic'] : ['custom', 'generic']
  return explaining(pool, async (explain) => {
    let most = { rows: 0, from: 'nothing' }
    for (const mode of modes) {
      const settings = `${costs}; set plan_cache_mode = force_${mode}_plan`
      const [plan] = await explain.plans(statement, [EXECUTED], settings)
      for (const node of nodesBelow(plan)) {
        const from = node['Relation Name'] ?? node['Index Name']
        if (from !== undefined && looks(node) > most.rows) most = { rows: looks(node), from }
      }
    }
    return most
  })
}

const valuesOf = (parameters: readonly unknown[]) =>
  parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`

/** The plans that read or write a table. */
export const concerning = (plans: readonly Plan[], table: string): Plan[] =>
  plans.filter(({ sql }) => new RegExp(`\\b${table}\\b`).test(sql))

/** PostgreSQL plans for the values five times before it looks whether one plan for all would do. */
const UNTIL_KEPT = 6

const PLANNED = 'explain (format json)'
const EXECUTED = 'explain (analyze, timing off, format json)'

/** Asks PostgreSQL for plans on one connection, which knows the tables after its first statements. */
class Explainer {
  readonly on: PoolClient

  constructor(on: PoolClient) {
    this.on = on
  }

  /** The plans of a statement that is prepared with some settings and then explained in these ways, one after the other. */
  async plans(
    { sql: text, parameters, plan }: Statement,
    ways: readonly string[],
    settings = '',
  ): Promise<[Node, ...Node[]]> {
    const lines = [
      plan === 'generic' ? PLANNED_ONCE : '',
      settings,
      `prepare explained as ${text}`,
      ...ways.map((way) => `${way} execute explained${valuesOf(parameters)}`),
      'deallocate explained',
      'reset plan_cache_mode; reset enable_seqscan; reset seq_page_cost',
    ]
    const results = await this.on.query(lines.filter((line) => line !== '').join(';\n'))
    const [first, ...others] = [results].flat().flatMap(planIn)
    if (first === undefined) throw new Error(`PostgreSQL showed no plan of ${text}`)
    return [first, ...others]
  }
}

const planIn = ({ rows }: QueryResult): Node[] =>
  rows.flatMap((row) => ('QUERY PLAN' in row ? [row['QUERY PLAN'][0].Plan] : []))

/** Lets `work` explain statements. Who comes next on the connection finds nothing changed. */
async function explaining<T>(pool: Pool, work: (explain: Explainer) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    const result = await work(new Explainer(client))
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** The different plans that a statement gets while it is sent more and more often. */
async function plansFor(explain: Explainer, statement: Statement, partitions: Partitions): Promise<Plan[]> {
  const times = statement.plan === 'generic' ? 1 : UNTIL_KEPT
  const nodes = await explain.plans(statement, Array<string>(times).fill(PLANNED))
  const plans = nodes.map((node) => summary(statement.sql, node, partitions))
  return [...new Map(plans.map((plan) => [JSON.stringify(plan), plan])).values()]
}

interface Partitions {
  /** The table or index that each partition, or index of one, is part of. */
  readonly whole: ReadonlyMap<string, string>
  readonly empty: ReadonlySet<string>
}

async function partitionsOf(client: PoolClient): Promise<Partitions> {
  const { rows } = await client.query<{ part: string; whole: string; empty: boolean }>(`
    select c.relname as part, p.relname as whole, c.relkind = 'r' and pg_relation_size(c.oid) = 0 as empty
    from pg_inherits h join pg_class c on c.oid = h.inhrelid join pg_class p on p.oid = h.inhparent`)
  return {
    whole: new Map(rows.map(({ part, whole }) => [part, whole])),
    empty: new Set(rows.filter(({ empty }) => empty).map(({ part }) => part)),
  }
}

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Sort Key'?: readonly string[]
  readonly 'Actual Rows'?: number
  readonly 'Actual Loops'?: number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Node[]
}

function summary(sql: string, root: Node, { whole, empty }: Partitions): Plan {
  const nodes = nodesBelow(root).filter((node) => !readsOnly(node, empty))
  const nameOf = (name: string | undefined) => name && (whole.get(name) ?? name)
  const distinct = (values: readonly (string | undefined)[]) =>
    [...new Set(values.filter((value) => value !== undefined))].toSorted()
  return {
    sql,
    generic: /\$\d/.test(JSON.stringify(root)),
    indexes: distinct(nodes.map((node) => nameOf(node['Index Name']))),
    scanned: distinct(
      nodes.map((node) => (node['Node Type'] === 'Seq Scan' ? nameOf(node['Relation Name']) : undefined)),
    ),
    sorts: distinct(
      nodes.flatMap((node) => (node['Node Type'] === 'Merge Append' ? [] : (node['Sort Key'] ?? []))),
    ),
  }
}

/** Whether a part of a plan reads nothing but empty partitions. */
function readsOnly(node: Node, empty: ReadonlySet<string>): boolean {
  if (node['Relation Name'] !== undefined) return empty.has(node['Relation Name'])
  return node.Plans !== undefined && node.Plans.every((plan) => readsOnly(plan, empty))
}

const nodesBelow = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesBelow)]

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Buffer.isBuffer(value)) return escapeLiteral(`\\x${value.toString('hex')}`)
  if (Array.isArray(value)) return escapeLiteral(`{${value.map(element).join(',')}}`)
  return escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value))
}

function element(value: unknown): string {
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
