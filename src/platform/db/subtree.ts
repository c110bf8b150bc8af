import { type RawBuilder, sql } from 'kysely'
import type { Operand } from './statement.ts'

/** Whether a row of `namespaces` (under this alias) is the node with that id or is below it. */
export function inSubtree(alias: string, nodeId: Operand<number>): RawBuilder<boolean> {
  // Kysely takes an array on the right of @> for a list of values.
  return sql<boolean>`${sql.ref(`${alias}.traversal_ids`)} @> array[${nodeId}]::bigint[]`
}

/**
 * The ids of a node and of all below it, as an array. For writes: PostgreSQL takes every subtree for a two-hundredth of all nodes, and
 * would rather read all rows of another table than look so many up; of an array it expects few.
 */
export const subtreeIds = (nodeId: number): RawBuilder<number[]> =>
  sql<number[]>`array(select b.id from namespaces b where ${inSubtree('b', nodeId)})`
