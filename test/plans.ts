import { escapeLiteral } from 'pg'
import type { Statement, World } from './world.ts'

/** How PostgreSQL carries out a statement. */
export interface Plan {
  readonly sql: string
  /** The indexes it reads, in no order, each once. */
  readonly indexes: readonly string[]
  /** The tables it reads from start to end. */
  readonly scanned: readonly string[]
  /** What it sorts rows by; a list that is read in the order of its index sorts by nothing. */
  readonly sorts: readonly string[]
}

/**
 * How PostgreSQL carries out what requests send while `work` runs: each statement once for its values and, where that
 * differs, as it is kept when the statement was sent often. What such a test shows depends on what the tables hold:
 * fill them, and `analyze`, in a world of its own.
 */
export async function plansOf(world: World, work: () => Promise<unknown>): Promise<Plan[]> {
  const statements = await world.sent(work)
  const plans: Plan[] = []
  for (const statement of statements) plans.push(...(await explain(world, statement)))
  return plans
}

/** The plans that read or write a table. */
export const concerning = (plans: readonly Plan[], table: string): Plan[] =>
  plans.filter(({ sql }) => new RegExp(`\\b${table}\\b`).test(sql))

/** PostgreSQL plans for the values five times before it looks whether one plan for all would do. */
const UNTIL_KEPT = 7

async function explain({ running }: World, { sql, parameters }: Statement): Promise<Plan[]> {
  const client = await running.services.pool.connect()
  try {
    await client.query(`prepare explained as ${sql}`)
    const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`
    const plans: Plan[] = []
    for (let times = 0; times < UNTIL_KEPT; times += 1) {
      const { rows } = await client.query(`explain (format json) execute explained${values}`)
      plans.push(summary(sql, rows[0]['QUERY PLAN'][0].Plan))
    }
    const differing = new Map(plans.map((plan) => [JSON.stringify(plan), plan]))
    return [...differing.values()]
  } finally {
    await client.query('deallocate all')
    // What the pool prepared by name went with it.
    client.release(true)
  }
}

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Sort Key'?: readonly string[]
  readonly Plans?: readonly Node[]
}

function summary(sql: string, root: Node): Plan {
  const nodes = nodesBelow(root)
  const distinct = (values: readonly (string | undefined)[]) =>
    [...new Set(values.filter((value) => value !== undefined))].toSorted()
  return {
    sql,
    indexes: distinct(nodes.map((node) => node['Index Name'])),
    scanned: distinct(
      nodes.map((node) => (node['Node Type'] === 'Seq Scan' ? node['Relation Name'] : undefined)),
    ),
    sorts: distinct(nodes.flatMap((node) => node['Sort Key'] ?? [])),
  }
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
