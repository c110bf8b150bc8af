import { sql } from 'kysely'
import {
  shapeOfViewer,
  valuesOfViewer,
  type Viewer,
  viewerIn,
  type ViewerShape,
  type ViewerValues,
} from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { projectExtensions } from '../extension-points.ts'
import { type ProjectRow, projectsFor } from '../queries.ts'

interface Shape extends ViewerShape {
  /** How many features add columns. */
  readonly extensions: number
}

interface Values extends ViewerValues {
  readonly ids: readonly number[]
}

const byIds = statement({
  name: 'projects by ids',
  build: (db, param: Params<Values>, shape: Shape) =>
    projectsFor(db, viewerIn(shape, param)).where(sql<boolean>`p.id = any(${param('ids')}::bigint[])`),
})

/**
 * Reads projects in the order of their ids, without those that the viewer may not see: between two statements, rights may
 * change.
 */
export async function readProjects(
  db: Db | Tx['db'],
  viewer: Viewer,
  ids: readonly number[],
): Promise<ProjectRow[]> {
  if (ids.length === 0) return []
  const shape = { ...shapeOfViewer(viewer), extensions: projectExtensions.entries.length }
  const rows = await byIds(db, { ...valuesOfViewer(viewer), ids }, shape)
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((one) => found.get(one) ?? [])
}

/**
 * Finds a project.
 * @throws 404 `Project Not Found` when it is gone or the viewer may not see it.
 */
export async function findProject(db: Db | Tx['db'], viewer: Viewer, id: number): Promise<ProjectRow> {
  const [project] = await readProjects(db, viewer, [id])
  if (project === undefined) throw notFound('Project')
  return project
}
