import { type RawBuilder, sql } from 'kysely'

/** Whether a row of `namespaces` (under this alias) is the node with that id or is below it. */
export function inSubtree(alias: string, nodeId: number): RawBuilder<boolean> {
  // Kysely takes an array on the right of @> for a list of values.
  return sql<boolean>`${sql.ref(`${alias}.traversal_ids`)} @> array[${nodeId}]::bigint[]`
}
