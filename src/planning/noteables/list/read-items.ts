import { type Compilable, type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Param, prepareShapes } from '#platform/db/prepare.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { inlineBytes } from '#platform/http/long-rows.ts'
import type { ListScope } from './scope.ts'

/** Which items are open to the viewer: all of a project, those of it that everybody sees and their own, or any. */
export type ItemRights = 'all of a project' | 'own of a project' | 'any'

/** Which items are read. */
export interface ItemsWanted {
  readonly viewer: Viewer
  readonly project: number
  readonly ids: readonly number[]
}

/** Builds the query for the rows of items with some ids, as far as these rights go. */
type BuildRows<Row> = (
  db: Db | Tx['db'],
  rights: ItemRights,
  wanted: ItemsWanted,
  longest?: number,
) => Compilable & { execute(): Promise<Row[]> }

/**
 * Whether a row that was found by its id is of a project. Asked in the form of an index, PostgreSQL may take one that begins with
 * the project, and looks for the ids among all items of it.
 */
export const isOfProject = (column: string, project: number): RawBuilder<boolean> =>
  sql<boolean>`(${sql.ref(column)} = ${project}) is true`

/** What the text of the statement depends on. */
interface Shape extends Pick<Viewer, 'admin' | 'external'> {
  readonly signedIn: boolean
  readonly rights: ItemRights
  readonly longest: number
}

/** The sizes of pages that most clients ask for. */
const common = new Set([20, 50, 100].map((per_page) => inlineBytes({ per_page })))

/**
 * Makes a reader of the items of a scope by their ids, in the order of the ids; without those that the viewer may not see.
 * Rights are asked again: between the two statements of a list, an item may become confidential or move.
 */
export function itemReader<Row extends { readonly id: number }>(rowsOf: BuildRows<Row>) {
  const kept = prepareShapes(
    (
      db,
      { signedIn, rights, longest, ...shape }: Shape,
      param: Param<{ viewer: number; today: string; project: number; ids: readonly number[] }>,
    ) => {
      const viewer = { ...shape, id: signedIn ? param('viewer') : null, today: param('today'), closed: [] }
      return rowsOf(db, rights, { viewer, project: param('project'), ids: param('ids') }, longest)
    },
  )
  /** @param longest the largest size in bytes of a long text; longer ones are left out. */
  return async (db: Db, scope: ListScope, ids: readonly number[], longest?: number): Promise<Row[]> => {
    const { viewer } = scope
    const { id, admin, external, today } = viewer
    const project = scope.kind === 'project' ? scope.id : 0
    const rights = scope.kind !== 'project' ? 'any' : scope.readsAll ? 'all of a project' : 'own of a project'
    const isKept = longest !== undefined && common.has(longest) && viewer.closed.length === 0
    const found: Row[] = isKept
      ? await kept(
          db,
          { admin, external, signedIn: id !== null, rights, longest },
          { viewer: id ?? 0, today, project, ids },
        ).run<Row>(db, '', (items) => items)
      : await rowsOf(db, rights, { viewer, project, ids: [...ids] }, longest).execute()
    const byId = new Map(found.map((row) => [row.id, row]))
    return ids.flatMap((one) => byId.get(one) ?? [])
  }
}
