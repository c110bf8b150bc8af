import { type RawBuilder, sql } from 'kysely'
import {
  shapeOfViewer,
  type SqlViewer,
  type Viewer,
  valuesOfViewer,
  viewerIn,
  type ViewerShape,
  type ViewerValues,
} from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Operand, type Params, type Query, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { inlineBytes } from '#platform/http/long-rows.ts'

/** Which items are open to the viewer: all of a project, those of it that everybody sees and their own, or any. */
export type ItemRights = 'all of a project' | 'own of a project' | 'any'

/** Which items are read. */
export interface ItemsById {
  readonly viewer: SqlViewer
  readonly project: Operand<number>
  readonly ids: Operand<readonly number[]>
}

/** Where the items are, and who reads them; a scope of a list is one. */
export type ReadScope =
  | {
      readonly kind: 'project'
      readonly viewer: Viewer
      readonly id: number
      readonly readsAll: boolean
    }
  | { readonly kind: 'group' | 'instance'; readonly viewer: Viewer }

/** Builds the query for the rows of items with some ids, as far as these rights go. */
type BuildRows<Row> = (
  db: Db | Tx['db'],
  rights: ItemRights,
  wanted: ItemsById,
  longest?: number,
) => Query<Row> & { execute(): Promise<Row[]> }

/**
 * Whether a row that was found by its id is of a project. Asked in the form of an index, PostgreSQL may take one that begins with
 * the project, and looks for the ids among all items of it.
 */
export const isOfProject = (column: string, project: Operand<number>): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} = ${project}) is true`

/** What the text of the statement depends on. */
interface Shape extends ViewerShape {
  readonly rights: ItemRights
  readonly longest: number
}

interface Values extends ViewerValues {
  readonly project: number
  readonly ids: readonly number[]
}

/** The sizes of pages that most clients ask for. */
const common = new Set([20, 50, 100].map((per_page) => inlineBytes({ per_page })))

/**
 * Makes a reader of the items of a scope by their ids, in the order of the ids; without those that the viewer may not see.
 * Rights are asked again: between the two statements of a list, an item may become confidential or move.
 */
export function itemReader<Row extends { readonly id: number }>(rowsOf: BuildRows<Row>) {
  const byIds = statement({
    name: 'items by ids',
    build: (db, param: Params<Values>, { rights, longest, ...shape }: Shape) => {
      const wanted = { viewer: viewerIn(shape, param), project: param('project'), ids: param('ids') }
      return rowsOf(db, rights, wanted, longest)
    },
  })
  /** @param longest the largest size in bytes of a long text; longer ones are left out. */
  return async (
    db: Db | Tx['db'],
    scope: ReadScope,
    ids: readonly number[],
    longest?: number,
  ): Promise<Row[]> => {
    const { viewer } = scope
    const project = scope.kind === 'project' ? scope.id : 0
    const rights = scope.kind !== 'project' ? 'any' : scope.readsAll ? 'all of a project' : 'own of a project'
    const found =
      longest !== undefined && common.has(longest)
        ? await byIds(
            db,
            { ...valuesOfViewer(viewer), project, ids },
            { ...shapeOfViewer(viewer), rights, longest },
          )
        : await rowsOf(db, rights, { viewer, project, ids }, longest).execute()
    const byId = new Map(found.map((row) => [row.id, row]))
    return ids.flatMap((one) => byId.get(one) ?? [])
  }
}
