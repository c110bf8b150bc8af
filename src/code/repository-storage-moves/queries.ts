import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { snippetsFor } from '#code/snippets/queries.ts'
import type { MoveFields, SnippetMoveRow } from './entity.ts'

/** Newest first. */
export const moveOrder: ListOrder = {
  of: 'RepositoryStorageMove',
  id: 'm.id',
  columns: { id: { column: 'm.id' } },
  by: 'id',
  sort: 'desc',
}

const columns = [
  'm.id',
  'm.created_at',
  'm.state',
  'm.source_storage_name',
  'm.destination_storage_name',
] as const

/** The moves of all projects. */
export const movesOfProjects = (db: Db | Tx['db']) =>
  db
    .selectFrom('repository_storage_moves as m')
    .innerJoin('projects as p', 'p.id', 'm.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(columns)
    .select([
      'p.id as project_id',
      'n.description',
      'n.name',
      'n.full_name',
      'n.path',
      'n.full_path',
      'n.created_at as project_created_at',
    ])

/** The moves of all groups. */
export const movesOfGroups = (db: Db | Tx['db']) =>
  db
    .selectFrom('repository_storage_moves as m')
    .innerJoin('namespaces as n', 'n.id', 'm.group_id')
    .select(columns)
    .select(['n.id as group_id', 'n.name', 'n.full_path'])

/** The moves of all snippets. */
export const movesOfSnippets = (db: Db | Tx['db']) =>
  db
    .selectFrom('repository_storage_moves as m')
    .innerJoin('snippets as s', 's.id', 'm.snippet_id')
    .select(columns)
    .select('s.id as snippet_id')

/** Adds their snippets to moves. One that was deleted meanwhile is missing. */
export async function withSnippets(
  db: Db | Tx['db'],
  rows: readonly (MoveFields & { readonly snippet_id: number })[],
): Promise<SnippetMoveRow[]> {
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map(({ snippet_id }) => snippet_id))]
  const found = await snippetsFor(db).where(isAnyOf('s.id', ids)).execute()
  const snippets = new Map(found.map((snippet) => [snippet.id, snippet]))
  return rows.flatMap((row) => {
    const snippet = snippets.get(row.snippet_id)
    return snippet === undefined ? [] : [{ ...row, snippet }]
  })
}
